"""How an export is asked from a process that knows nothing but TensorFlow."""

from __future__ import annotations

import os

QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

# Forbids this project, loads the export, answers the requests on stdin.
ALONE = """
import json, sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("lang2program_tf", "gin", "tensorflow_addons"):
            raise ImportError(name)
sys.meta_path.insert(0, Forbid())
import tensorflow as tf
model = tf.saved_model.load(sys.argv[1])
request = json.load(sys.stdin)
found = model.signatures["serving_default"](**{k: tf.constant(v) for k, v in request.items()})
answers = {name: value.numpy().tolist() for name, value in found.items()}
print(json.dumps(answers, default=bytes.decode))
"""
