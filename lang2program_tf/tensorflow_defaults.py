"""What TensorFlow is told before it is imported, unless the user has told it otherwise."""

from __future__ import annotations

import os

from lang2program_tf.native_log import import_tensorflow_quietly

_DEFAULTS = {
    # TensorFlow's own lines at start-up mean nothing to us; what matters it also raises.
    "TF_CPP_MIN_LOG_LEVEL": "3",
    # The search is thousands of small operations: to split one of them over threads costs more than
    # it saves, mostly a tenth to a third of the time. Different operations still run side by side.
    "TF_NUM_INTRAOP_THREADS": "1",
}
_ours: set[str] = set()


def set_tensorflow_defaults() -> None:
    """Prepares for the first import of TensorFlow: what it reads then, and what it prints."""
    missing = _DEFAULTS.keys() - os.environ.keys()
    _ours.update(missing)
    os.environ.update({name: _DEFAULTS[name] for name in missing})
    import_tensorflow_quietly()


def users_environment() -> dict[str, str]:
    """The environment without these defaults, for a process that has defaults of its own."""
    return {name: value for name, value in os.environ.items() if name not in _ours}
