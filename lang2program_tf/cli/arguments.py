"""Argument parsing whose mistakes are one line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from lang2program_tf.errors import UserError


class OneLineParser(argparse.ArgumentParser):
    """Like its base, but a mistake is a UserError, which the command line prints in one line."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; `{self.prog} --help` lists what there is")
