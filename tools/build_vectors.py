#!/usr/bin/env python3
"""Makes the word vector file that ships with the package; see --help."""

import sys

from lang2program_dev.cli.build_vectors import main
from lang2program_tf.errors import UserError

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
