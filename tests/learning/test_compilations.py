"""How often XLA compiles: for few shapes, all of which come in the first epoch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import output_of
from tests.xla_dumps import flags

# Searches of one and of two utterances in training, of up to five in evaluation; each may have room
# for 32 words, and those of more than one utterance for 64.
MOST_SHAPES = 1 + 2 + 2


@pytest.mark.slow
def test_after_the_first_epoch_nothing_is_compiled(tmp_path):
    output = output_of(Path(__file__).with_name("compile_epochs.py"), XLA_FLAGS=flags(tmp_path))
    first, second = map(int, output.split())
    assert 2 <= first <= MOST_SHAPES
    assert second == first
