"""`lang2program train`: trains a parser in a run folder, or goes on with one."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from absl import flags

from lang2program_tf.cli.gin_flags import define_gin_flags, parse_flags
from lang2program_tf.errors import UserError
from lang2program_tf.gin_files import load_gin

_HELP = """Trains a parser.

  lang2program train --gin_file released/scene.gin --root_dir runs/scene
  lang2program train --gin_file released/scene.gin --gin_param 'Task.corpus = "embedded"' …

The same command again goes on where the run stopped. The last line of output is the result, one
JSON object. Exit codes: 0 when the run is finished, 2 for an error, 130 and 143 when it was stopped
by Ctrl-C and by SIGTERM (it has saved itself)."""


def _flags() -> flags.FlagValues:
    values = flags.FlagValues()
    define_gin_flags(values)
    flags.DEFINE_string("root_dir", None, "the run's folder", flag_values=values)
    flags.DEFINE_bool("help", False, "shows this help", short_name="h", flag_values=values)
    return values


def main(argv: Sequence[str]) -> int:
    """Runs the command."""
    values = _flags()
    rest = parse_flags(values, "train", argv)
    if values.help:
        print(f"{_HELP}\n{values.main_module_help()}\n{values.get_help()}")
        return 0
    if rest:
        raise UserError(f"train takes flags only, not {rest[0]!r}")
    if not values.root_dir:
        raise UserError("train needs --root_dir, the folder of the run")
    if not values.gin_file:
        raise UserError("train needs --gin_file, such as --gin_file released/scene.gin")
    from lang2program_tf.learning.experiment import train
    from lang2program_tf.learning.loop import Interrupted

    load_gin(values.gin_file, values.gin_param)
    try:
        result = train(values.root_dir)
    except Interrupted as stop:
        print(stop, file=sys.stderr)
        return 128 + stop.signal
    print(json.dumps(result))
    return 0
