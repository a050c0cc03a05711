"""Exporting a parser, the standalone executor, a client and a small server.

Importing this package does not import TensorFlow.
"""

from lang2program_tf.serving.answers import (
    Alternative,
    Metadata,
    ParseAnswer,
    ParseRequest,
    ScoreAnswer,
)
from lang2program_tf.serving.client import Client, Retries, VerificationError, connect
from lang2program_tf.serving.transport import ServingError, Transport

__all__ = [
    "Alternative",
    "Client",
    "Metadata",
    "ParseAnswer",
    "ParseRequest",
    "Retries",
    "ScoreAnswer",
    "ServingError",
    "Transport",
    "VerificationError",
    "connect",
]
