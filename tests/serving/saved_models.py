"""What a SavedModel is made of."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2


def read_saved_model(version: Path) -> saved_model_pb2.SavedModel:
    proto = saved_model_pb2.SavedModel()
    proto.ParseFromString((version / "saved_model.pb").read_bytes())
    return proto


def operations(saved_model: saved_model_pb2.SavedModel) -> set[str]:
    """The types of all operations, in functions too."""
    (graph,) = (meta.graph_def for meta in saved_model.meta_graphs)
    nodes = [*graph.node, *(node for f in graph.library.function for node in f.node_def)]
    return {node.op for node in nodes} - {f.signature.name for f in graph.library.function}


def foreign_operations(saved_model: saved_model_pb2.SavedModel) -> set[str]:
    """Those that TensorFlow alone does not know, or that call into Python."""
    return {
        name
        for name in operations(saved_model)
        if "PyFunc" in name or "Addons>" in name or getattr(tf.raw_ops, name, None) is None
    }
