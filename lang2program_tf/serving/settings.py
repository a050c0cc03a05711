"""What is fixed when a parser is exported, and what an export says of its origin."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class ExportSettings:
    """What is fixed when a parser is exported.

    Attributes:
        beam_size: how many prefixes live in the search; the paper's is 32.
        iterations_per_utterance: longest program that is searched, in tokens an utterance.
        top_k: k, how many programs an answer holds.
        by_worlds: whether the parser goes sentence by sentence with k worlds, and its answer holds
            a program for each of them; see `WorldSearch`.
        max_utterances: U; a row with more is an error. Examples of the data have up to five.
        max_utterance_bytes: a row with a longer utterance is an error.
        max_world_bytes: a row with a longer world is an error.
        rows_per_step: how many rows are searched at a time; a longer request takes several steps,
            so that its size does not set the memory that is needed.
    """

    beam_size: int = 32
    iterations_per_utterance: int = 7
    top_k: int = 5
    max_utterances: int = 5
    max_utterance_bytes: int = 2000
    max_world_bytes: int = 1000
    rows_per_step: int = 64
    by_worlds: bool = False

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name != "by_worlds" and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name}={value!r} must be a whole number, 1 or more")


@dataclass(frozen=True)
class Origin:
    """Where exported weights came from.

    Attributes:
        config: the training configuration, as gin text.
        step: training steps.
        data_fingerprint: identifies the training data.
    """

    config: str = ""
    step: int = 0
    data_fingerprint: str = ""
