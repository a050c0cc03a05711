"""Gold programs: one command for each utterance, and what is left of them in a part of a line."""

from __future__ import annotations

from collections.abc import Sequence

# A command as the names of its tokens, the paper's names.
Command = tuple[str, ...]
LAST = "-1"


def is_history_token(name: str) -> bool:
    """Whether the token looks up an earlier command, whose number stands before it."""
    return name.startswith("prev")


def seen_from(commands: Sequence[Command], start: int) -> tuple[Command, ...] | None:
    """The commands from `start` on, as somebody writes them who has not seen those before.

    A reference to command k becomes one to command k − start. There is no such program, and the
    answer is None, if a command refers to one before `start`.
    """
    seen = tuple(_shifted(commands[i], i, start) for i in range(start, len(commands)))
    known = tuple(command for command in seen if command is not None)
    return known if len(known) == len(seen) else None


def _shifted(command: Command, number: int, start: int) -> Command | None:
    tokens = list(command)
    for i in range(1, len(tokens)):
        if not is_history_token(tokens[i]):
            continue
        referred = number - 1 if tokens[i - 1] == LAST else int(tokens[i - 1]) - 1
        if referred < start:
            return None
        if tokens[i - 1] != LAST:
            tokens[i - 1] = str(referred - start + 1)
    return tuple(tokens)
