#!/usr/bin/env python3
"""Says what holds a parser's accuracy back: the same as `lang2program analyze`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["analyze", *sys.argv[1:]]))
