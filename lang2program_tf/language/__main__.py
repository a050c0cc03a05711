"""`python -m lang2program_tf.language`: see `cli`."""

from __future__ import annotations

import sys

from lang2program_tf.language.cli import main

sys.exit(main())
