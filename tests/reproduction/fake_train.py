"""Stands for `lang2program train`: in a moment it does to a run's folder what training does.

With --source it stands for the evaluation of runs that are there.

FAKE_FAIL and FAKE_HANG in the environment are parts of the names of gin files: of those whose runs
fail, and of those whose runs take steps until they are told to stop.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from lang2program_tf.files import write_atomically
from lang2program_tf.learning.run_folder import RESULT, RunFolder
from lang2program_tf.learning.stop_signals import stop_signals

STEPS = 3
ENDLESS = 10**9


def is_named(variable: str, gin_file: str) -> bool:
    return bool(os.environ.get(variable)) and os.environ[variable] in gin_file


def train(folder: RunFolder, gin_file: str, seed: int) -> int:
    first = len(folder.records())
    print(f"training from step {first}", file=sys.stderr, flush=True)
    last = ENDLESS if is_named("FAKE_HANG", gin_file) else STEPS
    with stop_signals() as received:
        for step in range(first + 1, last + 1):
            folder.log({"step": step, "kind": "sample", "accuracy": step / 10})
            if received:
                print(f"saved and stopped at step {step}", file=sys.stderr)
                return 128 + received[0]
            time.sleep(0.01)
    result = {
        "domain": os.path.basename(gin_file).removesuffix(".gin").split("_")[0],
        "corpus": "scone",
        "seed": seed,
        "steps": STEPS,
        "best_step": 2 + seed,
        "seconds": 1.5,
        "accuracy": {"3": 0.5 + seed / 10, "5": 0.25 + seed / 100},
        "accuracy_all": 0.5,
        "holdout": {"accuracy": {"3": 0.4, "5": 0.2}},
    }
    write_atomically(folder.path / RESULT, json.dumps(result))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gin_file", action="append")
    parser.add_argument("--gin_param", action="append")
    parser.add_argument("--root_dir")
    parser.add_argument("--source", action="append", default=[])
    arguments = parser.parse_args()
    gin_file = arguments.gin_file[0]
    if is_named("FAKE_FAIL", gin_file):
        print("error: it broke\nat some place", file=sys.stderr)
        return 2
    for source in arguments.source:
        if RunFolder(source).result() is None:
            print(f"error: {source} is not trained", file=sys.stderr)
            return 2
    folder = RunFolder(arguments.root_dir)
    folder.path.mkdir(parents=True, exist_ok=True)
    (folder.path / "pid").write_text(str(os.getpid()))
    folder.write_config("\n".join([*arguments.gin_file, *arguments.gin_param]))
    return train(folder, gin_file, int(arguments.gin_param[-1].split()[-1]))


if __name__ == "__main__":
    sys.exit(main())
