#!/usr/bin/env python3
"""Compares this project with recordings of the original: the same as `lang2program parity`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["parity", *sys.argv[1:]]))
