from __future__ import annotations

import math

from lang2program_tf.analysis.breakdown import Tally
from lang2program_tf.analysis.findings import findings, obstacles
from lang2program_tf.analysis.report import analyze
from lang2program_tf.corpus.tokenizers import WhiteSpace
from lang2program_tf.language import get_domain
from lang2program_tf.learning.evaluation import Prediction
from tests.analysis.interactions import predictions
from tests.analysis.rows import FIRST, ROW, four_lines

TANGRAMS = get_domain("tangrams")
VOCABULARY = frozenset(["remove", "the", "first", "swap", "last", "two", "it", "undo"])


def lines(right: int, wrong: int) -> list[Prediction]:
    """Lines of one utterance: those that remove a piece are right, those that swap are not."""
    found: list[Prediction] = []
    for line in range(right + wrong):
        is_right = line < right
        found += predictions(
            "tangrams",
            worlds=[ROW, "1:1 2:2" if is_right else "1:1 2:0 3:2"],
            utterances=["remove the first" if is_right else "swap it"],
            commands=[f"{FIRST} remove"],
            line=line,
        )
    return found


def test_the_worst_obstacle_is_what_loses_most_beyond_its_share():
    # 4 of 12 steps lose; so 4 steps of any kind lose 4/3, and those that swap lose 4.
    worst = obstacles(analyze(TANGRAMS, lines(8, 4), vocabulary=VOCABULARY, tokenizer=WhiteSpace()))
    assert [one.name for one in worst] == ["action: swap", "sentence: pronoun"]
    assert worst[0].tally == Tally(steps=4, right=0, lost=4)
    assert worst[0].excess == 4 - 4 * 4 / 12


def test_findings_are_sentences_with_the_right_numbers():
    text = "\n".join(
        findings(analyze(TANGRAMS, four_lines(), vocabulary=VOCABULARY, tokenizer=WhiteSpace()))
    )
    assert text.startswith("1 of 4 interactions are right to the end (25.0 %); 3 are lost.")
    assert "The action that most is lost on is **remove**: 2 of 3 (66.7 %)." in text
    assert "the sentence means `remove`, predicted is `no program` (1, 33.3 %)" in text
    assert "Of 8 wrong predictions for any number of utterances, 3 (37.5 %) are ranking" in text
    assert "2 of 3 wrong steps (66.7 %) have an unknown word." in text
    assert "A step with one is right in 50.0 %, one without in 66.7 %." in text
    assert "too sure" in text


def test_a_parser_without_mistakes_has_no_obstacles():
    perfect = analyze(TANGRAMS, lines(5, 0), vocabulary=VOCABULARY, tokenizer=WhiteSpace())
    assert findings(perfect) == [
        "5 of 5 interactions are right to the end (100.0 %): nothing is lost."
    ]
    assert obstacles(perfect) == []


def test_a_parser_is_called_sure_modest_or_neither():
    def verdict(probability: float) -> str:
        sure = [one._replace(log_prob=math.log(probability)) for one in lines(3, 1)]
        return findings(analyze(TANGRAMS, sure, vocabulary=VOCABULARY, tokenizer=WhiteSpace()))[-1]

    assert verdict(0.9).startswith("The parser is too sure: the mean probability of its programs")
    assert verdict(0.5).startswith("The parser is too modest:")
    assert verdict(0.77).startswith("The parser is about as sure as it is right:")


def test_a_parser_by_worlds_is_sure_of_worlds_not_of_programs():
    found = analyze(
        TANGRAMS, lines(3, 1), vocabulary=VOCABULARY, tokenizer=WhiteSpace(), by_worlds=True
    )
    text = "\n".join(findings(found))
    assert "the mean probability of its worlds is" in text
    assert "are ranking errors: the target was found, and another is more probable" in text
