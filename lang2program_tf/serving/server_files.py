"""Files that TF Serving reads: which model to serve, and how to merge requests."""

from __future__ import annotations

from pathlib import Path

from lang2program_tf.serving.settings import ExportSettings
from lang2program_tf.serving.versions import write_once

MODELS_FILE = "models.config"
BATCHING_FILE = "batching.config"

_MODELS = """# For `tensorflow_model_server --model_config_file`. base_path is where the
# container sees this folder; outside a container, write the folder's absolute path.
model_config_list {{
  config {{
    name: "{domain}"
    base_path: "/models/{domain}"
    model_platform: "tensorflow"
  }}
}}
"""

_BATCHING = """# For `tensorflow_model_server --enable_batching --batching_parameters_file`.
# Only requests whose `utterances` have the same number of columns can be merged: pad them all to
# {max_utterances} columns with "", as the client does. Leave pad_variable_length_inputs off: it
# pads with the first utterance, not with "".
max_batch_size {{ value: {rows_per_step} }}
batch_timeout_micros {{ value: 2000 }}
max_enqueued_batches {{ value: 100 }}
num_batch_threads {{ value: 2 }}
"""


def write_server_files(export_dir: Path, domain: str, settings: ExportSettings) -> None:
    """Writes both files beside the versions, unless they are there."""
    write_once(export_dir / MODELS_FILE, _MODELS.format(domain=domain))
    write_once(
        export_dir / BATCHING_FILE,
        _BATCHING.format(
            max_utterances=settings.max_utterances, rows_per_step=settings.rows_per_step
        ),
    )
