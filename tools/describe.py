#!/usr/bin/env python3
"""Prints facts about a data set: the same as `lang2program describe`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["describe", *sys.argv[1:]]))
