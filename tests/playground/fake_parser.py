"""A model with outputs that today's exports do not have, and without those that they may lack."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tensorflow.core.protobuf import meta_graph_pb2

WORLD = "1:1 2:0"


class FakeParser:
    """Answers every dialogue of tangrams in the same way, turn by turn."""

    version, domain = 1, "tangrams"

    def __init__(self):
        parse = meta_graph_pb2.SignatureDef()
        for name in ("world", "utterances"):
            parse.inputs[name].name = name
        self.signature_defs = {"parse": parse, "serving_default": parse}

    def signature(self, name):
        return self.signature_defs[name or "serving_default"]

    def run(self, signature, inputs):
        (said,) = inputs["utterances"].tolist()
        count = sum(map(bool, said))
        commands = [b"allObjects 1 index remove"] + [b"1 -1 prevArg1 add"] * (count - 1)
        error = b"this one is too hard" if b"fail" in said else b""
        outputs: dict[str, Any] = {
            "program": [[b" ".join(commands), b"allObjects 2 index remove", b""]],
            "world": [[b"1:0", b"1:1", b""]],
            "worlds": [[b"1:0"] * count + [b""] * (5 - count)],
            "log_prob": [[math.log(0.75), math.log(0.125), -1e38]],
            "agreeing": [[17, 1, 0]],
            "read_as": [[b"remove the zorgle grumph"] + [b""] * 4],
            "unknown_words": [[b"zorgle grumph"] + [b""] * 4],
            "error": [error],
            "surprise": [[[1.0, 2.0]]],
        }
        return {
            name: np.array(value, object if isinstance(np.ravel(value)[0], bytes) else None)
            for name, value in outputs.items()
        }
