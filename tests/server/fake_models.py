"""Models without TensorFlow, for what a server does around them."""

from __future__ import annotations

import threading

import numpy as np
from tensorflow.core.protobuf import meta_graph_pb2

from lang2program_tf.serving.transport import ServingError


class EchoModel:
    """Gives back what it got, and notes the rows of each batch."""

    domain = "scene"

    def __init__(self, version=1):
        self.version = version
        self.batches = []
        signature = meta_graph_pb2.SignatureDef()
        signature.inputs["world"].name = "world"
        self.signature_defs = {"serving_default": signature}

    def signature(self, name):
        return self.signature_defs[name or "serving_default"]

    def run(self, signature, inputs):
        texts = inputs["world"].tolist()
        self.batches.append(len(texts))
        if b"bad" in texts:
            raise ServingError("INVALID_ARGUMENT", "one row is bad")
        if b"bug" in texts:
            raise KeyError("a mistake\nin the program")
        return {"echo": np.array(texts, object), "twice": np.array([texts, texts], object).T}


class SlowModel(EchoModel):
    """Takes its time for a prediction."""

    def __init__(self):
        super().__init__()
        self.began = threading.Semaphore(0)
        self.may_end = threading.Event()

    def run(self, signature, inputs):
        self.began.release()
        self.may_end.wait(20)
        return super().run(signature, inputs)
