"""What TensorFlow is told before it is imported, unless the user has told it otherwise."""

from __future__ import annotations

import os

from lang2program_tf.cores import threads_per_operation
from lang2program_tf.native_log import import_tensorflow_quietly

_ours: dict[str, str] = {}


def set_tensorflow_defaults() -> None:
    """Prepares for the first import of TensorFlow: what it reads then, and what it prints."""
    defaults = {
        # TensorFlow's own lines at start-up mean nothing to us; what matters it also raises.
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_NUM_INTRAOP_THREADS": str(threads_per_operation()),
        # oneDNN makes a kernel for each shape, and the numbers of words and of decisions change
        # from step to step: with it a training step takes a tenth more.
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
    missing = {name: value for name, value in defaults.items() if name not in os.environ}
    _ours.update(missing)
    os.environ.update(missing)
    import_tensorflow_quietly()


def users_environment() -> dict[str, str]:
    """The environment without these defaults, for a process that has defaults of its own."""
    return {name: value for name, value in os.environ.items() if _ours.get(name) != value}
