"""The arguments of commands: mistakes are one line, and settings are given in one way."""

from __future__ import annotations

import argparse
from typing import NoReturn

from lang2program_tf.errors import UserError


class OneLineParser(argparse.ArgumentParser):
    """Like its base, but a mistake is a UserError, which the command line prints in one line."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; `{self.prog} --help` lists what there is")


def add_gin_arguments(parser: argparse.ArgumentParser, *, required: bool, use: str = "") -> None:
    """Declares --gin_file and --gin_param, each of which may be given several times.

    Args:
        parser: of the command.
        required: whether a file must be given.
        use: what the settings are for, as the help says it: " of …"; of all by default.
    """
    parser.add_argument(
        "--gin_file",
        action="append",
        default=[],
        required=required,
        metavar="FILE",
        help=f"settings{use}: a path, or the name of a shipped file such as released/scene.gin",
    )
    parser.add_argument(
        "--gin_param",
        action="append",
        default=[],
        metavar="BINDING",
        help="a gin binding that overrides the files, such as 'TrainingLoop.max_steps = 100'",
    )
