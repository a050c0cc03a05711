#!/usr/bin/env python3
"""Exports the parser of a run: the same as `lang2program export`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["export", *sys.argv[1:]]))
