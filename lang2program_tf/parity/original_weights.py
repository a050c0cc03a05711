"""Imports the weights of the original system into a Parser."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordSource, WordVectors
from lang2program_tf.errors import UserError
from lang2program_tf.language import Domain, LanguageError, get_domain
from lang2program_tf.model import Parser
from lang2program_tf.model.lstm import GATES

Arrays = Mapping[str, NDArray[Any]]

# Variables that have no part in the score.
_IGNORED = {
    "step",
    "word_embeds",
    "type_embeds",
    "history_hash_vector",
    "exec_stack_hash_vector",
    "beta1_power",
    "beta2_power",
}
_ADAM_SLOTS = ("/Adam", "/Adam_1")
# The layer of each role; the suffixes of its variables follow the original's order W, b.
_LAYERS = {
    "stack_object_projection": "stack_history/objects",
    "utterance_attention_projection": "decoder/attention",
    "simple_scorer_projection": "decoder/query_scorer",
    "attention_scorer_projection": "decoder/context_scorer",
}
_DIRECTIONS = {
    "utterance_lstm_forward": "encoder/forward",
    "utterance_lstm_backward": "encoder/backward",
}
_LSTM_VARIABLES = {"W": "kernel", "U": "recurrent_kernel", "b": "bias"}
_TABLES = {"static_pred_embeds": "token_embeddings", "primitive_embeds": "primitive_embeddings"}


class OriginalModel(NamedTuple):
    """What a `model.*.meta.json` says about a model of the original.

    Attributes:
        path: the file.
        domain: of the model.
        history: execution histories, as Parser takes them.
        query_layers: widths of the ReLU layers.
        roles: names of a layer's variables, by the layer's role.
    """

    path: Path
    domain: Domain
    history: tuple[str, ...]
    query_layers: tuple[int, ...]
    roles: Mapping[str, Sequence[str]]


def read_model(path: Path) -> OriginalModel:
    """Reads a `model.*.meta.json`."""
    try:
        meta = json.loads(path.read_text(encoding="ascii"))
        settings = meta["config"]["parse_model"]
        used = {
            "tokens": settings["condition_on_history"],
            "stack": settings["condition_on_stack"],
        }
        return OriginalModel(
            path=path,
            domain=get_domain(meta["domain"]),
            history=tuple(name for name, is_used in used.items() if is_used),
            query_layers=tuple(settings["h_dims"]),
            roles=_roles(meta),
        )
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, LanguageError) as error:
        raise UserError(f"{path} does not describe a model of the original: {error!r}") from error


def _roles(meta: dict[str, Any]) -> dict[str, Sequence[str]]:
    # A role's name may be followed by an explanation in brackets.
    roles = {role.split(" ")[0]: names for role, names in meta["roles"].items()}
    if not roles.get("relu_layers"):
        # One recording leaves this role empty. The layers' names are numbered in order.
        names = [variable["name"] for variable in meta["variables"]]
        found = (re.fullmatch(r"ParseModel/dense_(\d+)_([Wb])", name) for name in names)
        numbered = sorted((int(match[1]), match[2], match[0]) for match in found if match)
        roles["relu_layers"] = [name for _, _, name in numbered]
    return roles


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays of an `.npz` by the original's variable names (`/`, written `__` in the file)."""
    try:
        with np.load(path) as arrays:
            return {name.replace("__", "/"): arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path} is damaged or not an .npz file ({error})") from error


def read_checkpoint(prefix: Path) -> dict[str, NDArray[Any]]:
    """Arrays of a checkpoint of the original; `prefix` is its path without `.index`."""
    try:
        reader = tf.train.load_checkpoint(str(prefix))
        return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        raise UserError(f"cannot read the checkpoint {prefix}: {error}") from error


def read_word_vectors(folder: Path) -> WordVectors:
    """The words of the model recordings, `word_vocab.json.gz` and `word_embeds.npz`."""
    path = folder / "word_vocab.json.gz"
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            words = tuple(json.load(file))
        vectors = read_npz(folder / "word_embeds.npz")["word_embeds"]
        source = WordSource(str(path), None, genuine=len(words) - 2)
        return WordVectors(words, vectors=vectors, source=source)
    except FileNotFoundError:
        raise UserError(f"there is no file {path}") from None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} and word_embeds.npz hold no word vectors ({error!r})") from error


def parser_layout(model: OriginalModel, arrays: Arrays) -> dict[str, NDArray[np.float32]]:
    """The original's arrays, be they weights, moments or gradients, as the Parser has them.

    Args:
        model: whose arrays they are.
        arrays: by the original's variable names; those without a part in the score are passed over.

    Returns:
        Arrays by the names of the Parser's trained variables.

    Raises:
        UserError: variables are missing or unknown; the message lists them.
    """
    sources = _sources(model)
    wanted = {name for names in sources.values() for name in names}
    problems = [f"{name} is missing" for name in sorted(wanted - set(arrays))]
    unknown = set(arrays) - wanted - _without_part(arrays)
    problems += [f"{name} is unknown" for name in sorted(unknown)]
    if not problems:
        problems = _misfits(model, arrays, sources)
    if problems:
        raise UserError(f"weights do not fit {model.path}: {'; '.join(problems)}")
    layout = {
        target: np.concatenate([arrays[name] for name in names], axis=-1)
        for target, names in sources.items()
    }
    rows = layout["token_embeddings"]
    layout["token_embeddings"] = np.empty_like(rows)
    layout["token_embeddings"][list(model.domain.embedding_order)] = rows
    return layout


def _misfits(
    model: OriginalModel, arrays: Arrays, sources: Mapping[str, Sequence[str]]
) -> list[str]:
    """Shapes with which the arrays cannot be put together."""
    problems = []
    for target, names in sources.items():
        shapes = {arrays[name].shape for name in names}
        if len(shapes) > 1 or () in shapes:
            found = ", ".join(f"{name} {arrays[name].shape}" for name in names)
            problems.append(f"{target} cannot be made of shapes {found}")
    rows = arrays["static_pred_embeds"].shape[:1]
    if rows != (len(model.domain.tokens),):
        problems.append(
            f"static_pred_embeds has {rows[0] if rows else 0} rows and {model.domain.name} "
            f"{len(model.domain.tokens)} tokens"
        )
    return problems


def shape_problems(model: OriginalModel, arrays: Arrays, parser: Parser) -> list[str]:
    """The original's variables, all of which are there, whose shapes do not fit `parser`."""
    shapes = {v.name.split(":")[0]: tuple(v.shape) for v in parser.trainable_variables}
    problems = []
    for target, names in _sources(model).items():
        *axes, last = shapes[target]
        expected = (*axes, last // len(names))
        problems += [
            f"{name} has shape {arrays[name].shape} instead of {expected}"
            for name in names
            if arrays[name].shape != expected
        ]
    return problems


def assign_weights(parser: Parser, weights: Arrays) -> None:
    """Gives every trained variable of `parser` its value, or changes nothing.

    Raises:
        UserError: a variable is missing, unknown or has another shape; the message lists them all.
    """
    variables = {v.name.split(":")[0]: v for v in parser.trainable_variables}
    problems = [f"{name} is missing" for name in sorted(set(variables) - set(weights))]
    problems += [f"{name} is unknown" for name in sorted(set(weights) - set(variables))]
    for name in sorted(set(variables) & set(weights)):
        expected, found = tuple(variables[name].shape), weights[name].shape
        if expected != found:
            problems.append(f"{name} has shape {found} instead of {expected}")
    if problems:
        raise UserError(f"weights do not fit the parser: {'; '.join(problems)}")
    for name, variable in variables.items():
        variable.assign(weights[name])


def _sources(model: OriginalModel) -> dict[str, list[str]]:
    """For each variable of the Parser, the original's variables that lie side by side in it."""
    sources = {_TABLES["static_pred_embeds"]: ["static_pred_embeds"]}
    if "stack" in model.history:
        sources[_TABLES["primitive_embeds"]] = ["primitive_embeds"]
    layers = dict(_LAYERS)
    if "stack" not in model.history:
        del layers["stack_object_projection"]
    try:
        for role, layer in layers.items():
            kernel, bias = model.roles[role]
            sources |= {f"{layer}/kernel": [kernel], f"{layer}/bias": [bias]}
        names = model.roles["relu_layers"]
        for number, (kernel, bias) in enumerate(zip(names[::2], names[1::2])):
            layer = f"decoder/query_{number}"
            sources |= {f"{layer}/kernel": [kernel], f"{layer}/bias": [bias]}
        for role, direction in _DIRECTIONS.items():
            by_suffix = {name[-3:]: name for name in model.roles[role]}  # such as W_i
            for letter, variable in _LSTM_VARIABLES.items():
                gates = [by_suffix[f"{letter}_{gate[0]}"] for gate in GATES]
                sources[f"{direction}/{variable}"] = gates
    except (KeyError, ValueError) as error:
        raise UserError(f"{model.path}: `roles` is incomplete ({error!r})") from error
    return sources


def _without_part(arrays: Arrays) -> set[str]:
    return {name for name in arrays if name in _IGNORED or name.endswith(_ADAM_SLOTS)}
