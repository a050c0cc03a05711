"""A small server for development, on the two protocols of TF Serving."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

import grpc
from tensorflow_serving.apis import model_service_pb2_grpc, prediction_service_pb2_grpc

from lang2program_tf.errors import UserError
from lang2program_tf.serving.grpc_service import ModelService, PredictionService
from lang2program_tf.serving.model import Model
from lang2program_tf.serving.rest_service import RestServer
from lang2program_tf.serving.server_core import ServerCore, ServerLimits

_MAX_MESSAGE_OVERHEAD = 1024
_WAITING_THREADS = 8


class Server:
    """Serves one model over gRPC and REST until it is stopped.

    Attributes:
        grpc_port: where gRPC listens.
        rest_port: where REST listens.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str | None = None,
        host: str = "127.0.0.1",
        grpc_port: int = 0,
        rest_port: int = 0,
        limits: ServerLimits | None = None,
    ) -> None:
        """Starts listening.

        Args:
            model: what to serve.
            name: of the model; its domain if None.
            host: the address to listen at; by default only this machine can reach it.
            grpc_port: 0 for any free port.
            rest_port: likewise.
            limits: what a request may cost.

        Raises:
            UserError: a port is taken.
        """
        self.limits = limits or ServerLimits()
        self._core = ServerCore(model, name=name or model.domain, limits=self.limits)
        self._grpc = self._grpc_server()
        try:
            self.grpc_port = self._grpc.add_insecure_port(f"{host}:{grpc_port}")
            self._rest = RestServer((host, rest_port), self._core)
        except (OSError, RuntimeError, OverflowError) as error:
            self._grpc.stop(0)
            self._core.close()
            raise UserError(
                f"cannot listen at {host}, ports {grpc_port} and {rest_port} ({error}); "
                "choose others with --port and --rest_port"
            ) from None
        self.rest_port: int = self._rest.server_address[1]
        self._grpc.start()
        self._rest_thread = threading.Thread(target=self._rest.serve_forever, daemon=True)
        self._rest_thread.start()

    def _grpc_server(self) -> grpc.Server:
        waiting = self.limits.workers + self.limits.max_waiting + _WAITING_THREADS
        server = grpc.server(
            ThreadPoolExecutor(waiting, thread_name_prefix="grpc"),
            options=[
                (
                    "grpc.max_receive_message_length",
                    self.limits.max_request_bytes + _MAX_MESSAGE_OVERHEAD,
                ),
                ("grpc.so_reuseport", 0),  # else a second server would share the port
            ],
        )
        prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
            PredictionService(self._core), server
        )
        model_service_pb2_grpc.add_ModelServiceServicer_to_server(ModelService(self._core), server)
        return server

    def stop(self, grace: float = 10.0) -> None:
        """Takes no more requests, and gives those under way `grace` seconds to end."""
        ended = self._grpc.stop(grace)
        self._rest.shutdown()
        self._rest.wait_until_idle(grace)
        ended.wait(grace)
        self._rest.server_close()
        self._core.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
