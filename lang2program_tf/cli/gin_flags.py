"""The absl flags that every command with gin settings has."""

from __future__ import annotations

from collections.abc import Sequence

from absl import flags

from lang2program_tf.errors import UserError


def define_gin_flags(values: flags.FlagValues) -> None:
    """Defines --gin_file and --gin_param."""
    flags.DEFINE_multi_string(
        "gin_file",
        [],
        "a gin file: a path, or the name of a shipped one such as released/scene.gin",
        flag_values=values,
    )
    flags.DEFINE_multi_string(
        "gin_param", [], "a gin binding that overrides the files", flag_values=values
    )


def parse_flags(values: flags.FlagValues, command: str, argv: Sequence[str]) -> list[str]:
    """Parses flags; what is left over. A bad flag is a UserError."""
    try:
        rest = values([f"lang2program {command}", *argv])
    except flags.Error as error:
        raise UserError(f"{error}; `lang2program {command} --help` lists the flags") from None
    return list(rest[1:])
