#!/usr/bin/env python3
"""Makes a run folder of a model of the 2017 code: the same as `lang2program import_original`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["import_original", *sys.argv[1:]]))
