"""The messages of TF Serving about a model: which one is meant, its signatures, its status."""

from __future__ import annotations

from tensorflow_serving.apis import get_model_metadata_pb2, get_model_status_pb2, model_pb2

from lang2program_tf.server.core import ServerCore
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.serving.model import Model
from lang2program_tf.serving.transport import ServingError

_UNKNOWN = 2  # the code of gRPC for an error without a better one


def find_served(core: ServerCore, spec: model_pb2.ModelSpec) -> ServedModel:
    """The model that a request means, whatever its version.

    Raises:
        ServingError: there is none.
    """
    if not spec.name:
        raise ServingError("INVALID_ARGUMENT", "Missing ModelSpec")
    if spec.version_label:
        raise ServingError("INVALID_ARGUMENT", f"Unrecognized label {spec.version_label!r}")
    return core.find(spec.name)


def find_model(core: ServerCore, spec: model_pb2.ModelSpec) -> Model:
    """The version that a request means.

    Raises:
        ServingError: there is none.
    """
    return find_served(core, spec).find(_version(spec))


def resolved_spec(spec: model_pb2.ModelSpec, model: Model) -> model_pb2.ModelSpec:
    """The model that answered."""
    found = model_pb2.ModelSpec(name=spec.name, signature_name=spec.signature_name)
    found.version.value = model.version
    return found


def model_metadata(
    spec: model_pb2.ModelSpec, model: Model
) -> get_model_metadata_pb2.GetModelMetadataResponse:
    """The signatures of a model."""
    signatures = get_model_metadata_pb2.SignatureDefMap()
    for name, signature in model.signature_defs.items():
        signatures.signature_def[name].CopyFrom(signature)
    response = get_model_metadata_pb2.GetModelMetadataResponse()
    response.model_spec.CopyFrom(resolved_spec(model_pb2.ModelSpec(name=spec.name), model))
    response.metadata["signature_def"].Pack(signatures)
    return response


def model_status(
    core: ServerCore, spec: model_pb2.ModelSpec
) -> get_model_status_pb2.GetModelStatusResponse:
    """What became of the versions of a model, or of one of them."""
    response = get_model_status_pb2.GetModelStatusResponse()
    states = get_model_status_pb2.ModelVersionStatus.State
    for version, found in find_served(core, spec).statuses(_version(spec)).items():
        status = response.model_version_status.add(
            version=version, state=states.Value(found.state)
        ).status
        status.SetInParent()
        if found.error:
            status.error_code, status.error_message = _UNKNOWN, found.error
    return response


def _version(spec: model_pb2.ModelSpec) -> int | None:
    return spec.version.value if spec.HasField("version") else None
