"""A transport that fails or answers as it is told."""

from __future__ import annotations

import json
import threading
import time

from lang2program_tf.serving import ServingError, Transport

METADATA = {
    "domain": ["tangrams"],
    "tokens": [["1", "2"]],
    "config": ["x = 1"],
    "step": [7],
    "data_fingerprint": ["abc"],
    "settings": [json.dumps({"max_utterances": 3, "beam_size": 4})],
    "versions": ["{}"],
}


def removes_the_first(inputs):
    """An honest answer to everything about a world of three or more pieces."""
    rows = len(inputs["world"])
    return {
        "program": [["allObjects 1 index remove", ""]] * rows,
        "world": [["1:1 2:4", ""]] * rows,
        "worlds": [["1:1 2:4", "", ""]] * rows,
        "log_prob": [[-0.5, -3e38]] * rows,
        "num_found": [1] * rows,
        "error": [""] * rows,
    }


class FakeTransport(Transport):
    """Fails with the given codes first, then answers."""

    def __init__(self, *codes, answer=removes_the_first, delay=0.0):
        self.codes = list(codes)
        self.answer = answer
        self.delay = delay
        self.asked = []
        self.timeouts = []
        self.under_way = self.most_under_way = 0
        self._lock = threading.Lock()

    def predict(self, signature, inputs, *, timeout):
        if signature == "metadata":
            return METADATA
        with self._lock:
            self.asked.append(inputs)
            self.timeouts.append(timeout)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        time.sleep(self.delay)
        with self._lock:
            self.under_way -= 1
            if self.codes:
                raise ServingError(self.codes.pop(0), "as told")
        return self.answer(inputs)

    def close(self):
        self.closed = True
