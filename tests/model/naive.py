"""The equations of the network, word by word and slot by slot, in NumPy with float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lang2program_tf.language.values import ObjectList, Value
from lang2program_tf.machine.primitives import attribute_rows, primitive_row
from lang2program_tf.model import Parser


def weights(parser: Parser) -> dict[str, np.ndarray]:
    """All variables by name."""
    return {v.name.split(":")[0]: v.numpy().astype(np.float64) for v in parser.variables}


def hard_sigmoid(x: np.ndarray) -> np.ndarray:
    return np.clip(0.2 * x + 0.5, 0, 1)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def lstm(vectors: np.ndarray, w: dict[str, np.ndarray], direction: str) -> np.ndarray:
    """States [W, units] of one direction, in order of the words given."""
    kernel, recurrent, bias = (
        w[f"encoder/{direction}/{name}"] for name in ("kernel", "recurrent_kernel", "bias")
    )
    units = len(recurrent)
    state, cell, states = np.zeros(units), np.zeros(units), []
    for vector in vectors:
        i, f, o, c = np.split(vector @ kernel + state @ recurrent + bias, 4)
        cell = hard_sigmoid(f) * cell + hard_sigmoid(i) * np.tanh(c)
        state = hard_sigmoid(o) * np.tanh(cell)
        states.append(state)
    return np.array(states)


def encode(w: dict[str, np.ndarray], words: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Word states [W, 128] and utterance vector [128] of one utterance without padding."""
    vectors = w["encoder/word_vectors"][list(words)]
    forward = lstm(vectors, w, "forward")
    backward = lstm(vectors[::-1], w, "backward")[::-1]
    return (
        np.concatenate([forward, backward], axis=1),
        np.concatenate([forward[-1], backward[0]]),
    )


def tokens_history(w: dict[str, np.ndarray], tokens: Sequence[int]) -> np.ndarray:
    table = w["token_embeddings"]
    latest = list(tokens)[-4:]
    zeros = [np.zeros(table.shape[1])] * (4 - len(latest))
    return np.concatenate([*zeros, *(table[token] for token in latest)])


def stack_history(w: dict[str, np.ndarray], stack: Sequence[Value]) -> np.ndarray:
    table = w["primitive_embeddings"]
    slots = [np.zeros(table.shape[1])] * (3 - len(stack))
    for value in stack:
        row = primitive_row(value)
        if row is not None:
            slots.append(table[row])
            continue
        things = list(value if isinstance(value, ObjectList) else (value,))[:7]
        num_attributes = len(w["stack_history/objects/kernel"]) // (7 * table.shape[1])
        embedded = []
        for attribute in range(num_attributes):
            embedded += [table[attribute_rows(thing)[attribute]] for thing in things]
            embedded += [np.zeros(table.shape[1])] * (7 - len(things))
        linear = np.concatenate(embedded) @ w["stack_history/objects/kernel"]
        slots.append(linear + w["stack_history/objects/bias"])
    return np.concatenate(slots)


def linear(w: dict[str, np.ndarray], layer: str, x: np.ndarray) -> np.ndarray:
    return x @ w[f"{layer}/kernel"] + w[f"{layer}/bias"]


def score(
    w: dict[str, np.ndarray], words: Sequence[int], history: np.ndarray
) -> dict[str, np.ndarray]:
    """All activations of one prefix, by the names of DecoderScores."""
    states, summary = encode(w, words)
    query = np.concatenate([history, summary])
    layer = 0
    while f"decoder/query_{layer}/kernel" in w:
        query = relu(linear(w, f"decoder/query_{layer}", query))
        layer += 1
    attention = softmax(states @ linear(w, "decoder/attention", query))
    context = attention @ states
    query_scores = w["token_embeddings"] @ linear(w, "decoder/query_scorer", query)
    context_scores = w["token_embeddings"] @ linear(w, "decoder/context_scorer", context)
    logits = query_scores + context_scores
    return {
        "query": query,
        "attention": attention,
        "query_scores": query_scores,
        "context_scores": context_scores,
        "logits": logits,
        "log_probs": np.log(softmax(logits)),
    }
