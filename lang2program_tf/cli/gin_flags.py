"""The absl flags that every command with gin settings has, and reading them."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from absl import flags

import gin
from lang2program_tf.errors import UserError
from lang2program_tf.gin_errors import reading_gin
from lang2program_tf.gin_files import find_gin_file, gin_root


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


def load_gin(files: Sequence[str], params: Sequence[str]) -> None:
    """Reads gin files and bindings; a mistake in them is a UserError."""
    gin.clear_config()
    _search_in(str(gin_root()))
    with reading_gin():
        gin.parse_config_files_and_bindings(
            [str(find_gin_file(name)) for name in files], list(params), skip_unknown=False
        )


@functools.cache
def _search_in(folder: str) -> None:
    """Makes gin look for included files in a folder; gin keeps it for the whole process."""
    gin.add_config_file_search_path(folder)
