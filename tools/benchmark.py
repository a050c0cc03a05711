"""Calls `lang2program benchmark`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["benchmark", *sys.argv[1:]]))
