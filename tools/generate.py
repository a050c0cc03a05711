#!/usr/bin/env python3
"""Makes a corpus in the SCONE format: the same as `lang2program generate`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["generate", *sys.argv[1:]]))
