"""Reading the scoring cases; that they agree is tested with all recordings."""

from __future__ import annotations

from typing import Any

import numpy as np

from lang2program_tf.language import get_domain
from lang2program_tf.parity.model_records import scoring_inputs


def test_independent_utterances_hide_the_tokens_of_earlier_ones():
    domain = get_domain("tangrams")
    case: dict[str, Any] = {
        "previous_decisions": ["all-objects", "1", "index", "ARemove", "2"],
        "previous_decisions_this_utterance": ["2"],
        "stack": [["i", 2]],
    }
    alone = {**case, "ignore_previous_utterances": True}
    inputs = scoring_inputs(domain, [case, alone], [[5, 6, 7], [8]])
    ids = [domain.token_id(domain.token(name)) for name in case["previous_decisions"]]
    np.testing.assert_array_equal(inputs.history.tokens[:, 0], [ids[-4:], [-1, -1, -1, ids[-1]]])
    np.testing.assert_array_equal(inputs.words[:, 0], [[5, 6, 7], [8, 1, 1]])
