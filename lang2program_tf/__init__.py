"""From Language to Programs (Guu et al., ACL 2017) for TensorFlow 2.

Importing this package imports none of its rooms, so `lang2program_tf.language` runs without
TensorFlow.
"""

__version__ = "0.1.0"
