"""The graph of a SavedModel in a session, called by the names of its signatures.

A session rather than `tf.saved_model.load`: a search is thousands of small operations, and only a
session may run all of them in the thread that asks, one after another. That takes half the time
that handing them from thread to thread takes, and leaves the other cores to other callers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tensorflow as tf
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

_INIT_OP = "__saved_model_init_op"


class SavedGraph:
    """A loaded SavedModel. Several threads may call it, each on a core of its own.

    Attributes:
        signatures: those that a client may call, by name.
    """

    def __init__(self, folder: Path) -> None:
        """Loads graph and weights.

        Raises:
            Exception: of any kind, if a file is missing or damaged.
        """
        meta_graph = _read_meta_graph(folder / "saved_model.pb")
        found = meta_graph.signature_def
        self.signatures = {name: found[name] for name in found if not name.startswith("__")}
        graph = tf.Graph()
        with graph.as_default():
            tf.graph_util.import_graph_def(meta_graph.graph_def, name="")
        self._session = tf.compat.v1.Session(graph=graph, config=_in_the_calling_thread())
        saver = meta_graph.saver_def
        path = str(folder / "variables" / "variables")
        self._session.run(saver.restore_op_name, {saver.filename_tensor_name: path})
        if _INIT_OP in found:  # fills tables
            assets = {
                asset.tensor_info.name: str(folder / "assets" / asset.filename)
                for asset in meta_graph.asset_file_def
            }
            self._session.run(found[_INIT_OP].outputs[_INIT_OP].name, assets)

    def run(self, name: str, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The outputs of a signature for all its inputs."""
        signature = self.signatures[name]
        fetches = {key: tensor.name for key, tensor in signature.outputs.items()}
        feeds = {signature.inputs[key].name: array for key, array in inputs.items()}
        outputs: dict[str, NDArray[Any]] = self._session.run(fetches, feeds)
        return outputs


def _in_the_calling_thread() -> tf.compat.v1.ConfigProto:
    config = tf.compat.v1.ConfigProto(
        inter_op_parallelism_threads=-1, intra_op_parallelism_threads=1
    )
    config.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
    return config


def _read_meta_graph(path: Path) -> meta_graph_pb2.MetaGraphDef:
    proto = saved_model_pb2.SavedModel()
    try:
        proto.ParseFromString(path.read_bytes())
    except DecodeError:
        raise ValueError(f"its {path.name} is damaged") from None
    if not proto.meta_graphs:
        raise ValueError(f"its {path.name} is empty")
    return proto.meta_graphs[0]
