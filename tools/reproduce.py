"""Calls `lang2program reproduce`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["reproduce", *sys.argv[1:]]))
