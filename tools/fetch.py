#!/usr/bin/env python3
"""Downloads SCONE and GloVe: the same as `lang2program fetch`."""

import sys

from lang2program_tf.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["fetch", *sys.argv[1:]]))
