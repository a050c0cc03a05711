"""Calls `lang2program evaluate`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["evaluate", *sys.argv[1:]]))
