"""Optimizers of Keras 2, which TensorFlow 2.15 has and later ones take from tf-keras.

Their state is what checkpoints hold. `lang2program_tf/__init__.py` chooses tf-keras.
"""

from __future__ import annotations

import tensorflow as tf

# As attributes: TensorFlow decides on Keras when one is first asked for, not when it is imported.
SGD = tf.keras.optimizers.legacy.SGD
Adam = tf.keras.optimizers.legacy.Adam
Optimizer = tf.keras.optimizers.legacy.Optimizer
CosineDecay = tf.keras.optimizers.schedules.CosineDecay
LearningRateSchedule = tf.keras.optimizers.schedules.LearningRateSchedule
