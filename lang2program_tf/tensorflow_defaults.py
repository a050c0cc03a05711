"""What TensorFlow is told before it is imported, unless the user has told it otherwise."""

from __future__ import annotations

import os

from lang2program_tf.native_log import import_tensorflow_quietly


def set_tensorflow_defaults() -> None:
    """Prepares for the first import of TensorFlow: what it reads then, and what it prints."""
    # TensorFlow's own lines at start-up mean nothing to us; what matters it also raises.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import_tensorflow_quietly()
    # The search is thousands of small operations: to split one of them over threads costs more than
    # it saves, mostly a tenth to a third of the time. Different operations still run side by side.
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
