from __future__ import annotations

import json

from lang2program_tf.analysis.report import analyze, to_json
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.language import get_domain
from tests.analysis.rows import four_lines


def test_every_lost_interaction_is_in_every_part_once():
    found = to_json(
        analyze(
            get_domain("tangrams"), four_lines(), vocabulary=frozenset(), tokenizer=WhiteSpace()
        )
    )
    assert found["lost"] == 3 and found["interactions"] == 4
    for part in ("by_position", "by_action"):
        assert sum(one["lost"] for one in found[part].values()) == 3, part
    assert sum(group["count"] for group in found["errors"]) == 3
    assert sum(len(group["steps"]) for group in found["errors"]) == 3
    assert found["accuracy"] == {"1": 0.5, "2": 0.25, "3": 0.25}
    assert sum(one["examples"] for one in found["calibration"]["bins"]) == 12


def test_it_is_legal_json_even_where_no_program_was_found():
    found = to_json(
        analyze(
            get_domain("tangrams"), four_lines(), vocabulary=frozenset(), tokenizer=WhiteSpace()
        )
    )
    assert json.loads(json.dumps(found, allow_nan=False))["domain"] == "tangrams"
