"""What commands have in common that ask a parser: an export in this process, or a server."""

from __future__ import annotations

import argparse

from lang2program_tf.errors import UserError
from lang2program_tf.serving import Client, connect


def add_source(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say whom to ask."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--export", metavar="DIR", help="DOMAIN, for its latest version, or DOMAIN/VERSION"
    )
    source.add_argument(
        "--server", metavar="URL", help="http://HOST:PORT for REST or grpc://HOST:PORT for gRPC"
    )
    parser.add_argument("--model", help="with --server: the model's name")


def open_client(arguments: argparse.Namespace) -> Client:
    """A client for whom the options name; it runs every program again to check the answers.

    Raises:
        UserError: there is no such export, or the address is none.
    """
    if arguments.server:
        if not arguments.model:
            raise UserError("--server needs --model, the model's name on the server")
        try:
            return connect(arguments.server, model=arguments.model, verify_answers=True)
        except ValueError as error:
            raise UserError(str(error)) from None
    from lang2program_tf.serving.model import LocalTransport, Model

    return Client(LocalTransport(Model(arguments.export)), verify_answers=True)
