"""From Language to Programs (Guu et al., ACL 2017) for TensorFlow 2.

A semantic parser reads instructions and writes a program that does to the world what they say.

    import lang2program_tf as l2p

    world = "1:__ 2:__ 3:r_ 4:__ 5:__ 6:yo 7:__ 8:__ 9:__ 10:__"
    parser = l2p.load("exported/scene")
    answer = parser.parse(world, ["the man in red moves to the left of the man in yellow"])
    if answer.best:
        print(answer.best.program, answer.best.probability, answer.worlds)
    else:
        print(answer.error)

    l2p.run("scene", world, "leave(hasShirt(red))")   # the executor, without TensorFlow

    l2p.train("quickstart.gin", "runs/mine")          # nothing to download; takes some minutes
    l2p.export("runs/mine", "exported/mine")
    parser = l2p.load("exported/mine")

`lang2program_tf.serving.connect` gives the same kind of parser for one behind a server, and
`lang2program_tf.language` has the parts of the executor. What you can
mend is a `lang2program_tf.errors.UserError` (no such file, settings that do not fit) or a
`lang2program_tf.language.LanguageError` (a world or program that cannot be read or run), each with
one line that says what is wrong.

Importing this package imports none of its rooms, so it costs nothing, and
`lang2program_tf.language` runs without TensorFlow.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lang2program_tf.serving import Client

__version__ = "0.1.0"
__all__ = ["export", "load", "run", "train"]

# From 2.16 on TensorFlow has Keras 3; with this it takes Keras 2 from tf-keras, which setup.py
# requires there and only there. TensorFlow 2.15 has Keras 2 itself.
if importlib.util.find_spec("tf_keras") is not None:
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")


def load(export: str | os.PathLike[str]) -> Client:
    """The exported parser in a folder.

    Args:
        export: `exported/scene` for its newest version, or `exported/scene/2` for that one.

    Returns:
        A parser. `parse(world, utterances)` gives its answer: `best.program`, `best.world` and
        `best.probability`, other `alternatives`, and `worlds`, the world after each utterance; for
        a world or utterances that cannot be read `best` is None and `error` says why.
        `parse_many(requests)` answers many at once, `score` tells what may follow the beginning of
        a program, and `metadata()` what the parser is.

    Raises:
        UserError: there is no sound export in the folder.
    """
    _prepare_tensorflow()
    from lang2program_tf.serving import Client
    from lang2program_tf.serving.model import LocalTransport, Model

    return Client(LocalTransport(Model(export)))


def train(
    gin_file: str, root_dir: str | os.PathLike[str], *, bindings: Sequence[str] = ()
) -> dict[str, Any]:
    """Trains a parser, or goes on with a run that was stopped; call it from the main thread.

    Args:
        gin_file: the settings: a file that ships, such as `released/scene.gin`, or one of yours.
        root_dir: the folder of the run.
        bindings: what to change in them, such as `'Task.corpus = "embedded"'`.

    Returns:
        The result: `accuracy` by number of utterances, `accuracy_all`, `best_step`, …

    Raises:
        UserError: something is wrong with the settings or the data, or Ctrl-C has stopped the run,
            which has then saved itself. One of several workers must be started by the command
            `lang2program train`: it can be stopped and started again only from outside.
    """
    _prepare_tensorflow()
    from pathlib import Path

    from lang2program_tf.gin_files import load_gin
    from lang2program_tf.learning import experiment

    load_gin([gin_file], list(bindings))
    return experiment.train(Path(root_dir))


def export(
    root_dir: str | os.PathLike[str],
    export_dir: str | os.PathLike[str],
    *,
    top_k: int = 5,
    max_utterances: int = 5,
) -> Path:
    """Exports the best parser of a run as a SavedModel.

    Args:
        root_dir: the folder of the run.
        export_dir: gets the next version.
        top_k: how many programs an answer holds.
        max_utterances: how many utterances a request may have.

    Returns:
        The folder of the new version.

    Raises:
        UserError: there is no such run, or nothing can be written.
    """
    _prepare_tensorflow()
    from lang2program_tf.serving.export_run import export_run

    return export_run([root_dir], export_dir, top_k=top_k, max_utterances=max_utterances)


def run(domain: str, world: str, program: str) -> tuple[str, ...]:
    """Runs a program with the executor, which needs nothing but Python.

    Args:
        domain: `alchemy`, `scene` or `tangrams`.
        world: in the notation of SCONE, such as `1:2 2:1 3:4`.
        program: infix or postfix, as a parser gives it.

    Returns:
        The world after each command.

    Raises:
        LanguageError: the world or the program cannot be read, or a token fails.
    """
    from lang2program_tf.language import cli, get_domain, parse_program
    from lang2program_tf.language.infix import infix_commands

    found = get_domain(domain)
    commands = infix_commands(found, parse_program(found, program))
    return tuple(map(str, cli.run(found, found.parse_world(world), commands).worlds))


def _prepare_tensorflow() -> None:
    """Before TensorFlow is first imported: the same settings as in commands."""
    from lang2program_tf.tensorflow_defaults import set_tensorflow_defaults

    set_tensorflow_defaults()
