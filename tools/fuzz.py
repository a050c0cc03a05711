#!/usr/bin/env python3
"""Compares the executors on random programs: the same as `lang2program fuzz`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["fuzz", *sys.argv[1:]]))
