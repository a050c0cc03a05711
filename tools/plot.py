"""Calls `lang2program plot`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["plot", *sys.argv[1:]]))
