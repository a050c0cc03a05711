"""The log-probabilities of given programs, decision by decision, without any search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors, tokenize
from lang2program_tf.language import Domain, ExecutionError, State, step
from lang2program_tf.language.values import Value
from lang2program_tf.machine.features import HistoryFeatures
from lang2program_tf.machine.plain_features import plain_stack_features, plain_tokens_features
from lang2program_tf.model import Parser
from lang2program_tf.parity.recordings import Record
from lang2program_tf.word_ids import PADDING


class Path(NamedTuple):
    """A program that was run, be it complete or not.

    Attributes:
        log_probs: [tokens] float32, of each decision.
        state: at its end.
    """

    log_probs: NDArray[np.float32]
    state: State


class _Decision(NamedTuple):
    history: tuple[int, ...]
    stack: tuple[Value, ...]
    utterance: int
    token: int


def word_ids(
    utterances: Sequence[str | Sequence[str]], words: WordVectors, max_words: int
) -> NDArray[np.int32]:
    """[M, max_words] ids of recorded utterances, texts or lists of words, `PADDING` behind them."""
    rows = np.full([len(utterances), max_words], PADDING, np.int32)
    for row, utterance in zip(rows, utterances):
        split = tokenize(utterance) if isinstance(utterance, str) else utterance
        ids = [words.lookup(word) for word in split[:max_words]]
        row[: len(ids)] = ids
    return rows


def score_paths(
    parser: Parser,
    domain: Domain,
    record: Record,
    paths: Sequence[Sequence[str]],
    *,
    words: WordVectors,
    independent: bool = False,
) -> list[Path | None]:
    """Scores programs, given by the original's token names, for a record's world and utterances.

    Args:
        parser: the model.
        domain: of the record.
        record: has `world0` and `utterances`.
        paths: the programs.
        words: the vocabulary.
        independent: TOKENS sees only tokens of the present utterance.

    Returns:
        For each program what it scores, None if it does not run.
    """
    start = State(domain.parse_world(record["world0"]))
    runs = [_run(domain, start, path, independent=independent) for path in paths]
    decisions = [decision for run in runs if run for decision in run[0]]
    if not decisions:
        return [run and Path(np.zeros([0], np.float32), run[1]) for run in runs]
    ids = word_ids(record["utterances"], words, domain.max_words)
    log_probs = iter(np.split(_log_probs(parser, domain, ids, decisions), len(decisions)))
    return [
        run and Path(np.concatenate([np.zeros([0]), *(next(log_probs) for _ in run[0])]), run[1])
        for run in runs
    ]


def _run(
    domain: Domain, state: State, path: Sequence[str], *, independent: bool
) -> tuple[list[_Decision], State] | None:
    """The decisions of a program and the state after it, None if it does not run."""
    decisions: list[_Decision] = []
    seen: tuple[int, ...] = ()
    for name in path:
        token = domain.token_id(domain.token(name))
        decisions.append(_Decision(seen, state.stack, state.utterance, token))
        try:
            after = step(domain, state, name)
        except ExecutionError:
            return None
        seen = () if independent and after.utterance > state.utterance else (*seen, token)
        state = after
    return decisions, state


def _log_probs(
    parser: Parser, domain: Domain, words: NDArray[np.int32], decisions: Sequence[_Decision]
) -> NDArray[np.float32]:
    """[decisions] log-probabilities."""
    memory = parser.read(tf.constant(words)[tf.newaxis])
    history = HistoryFeatures(
        plain_tokens_features([decision.history for decision in decisions]),
        plain_stack_features(domain, [decision.stack for decision in decisions]),
    )
    rows = tf.nest.map_structure(lambda part: part[tf.newaxis], history)
    utterance = tf.constant([[decision.utterance for decision in decisions]])
    scores = parser.score(memory, rows, utterance)
    tokens = tf.constant([decision.token for decision in decisions])
    found: NDArray[np.float32] = tf.gather(scores.log_probs[0], tokens, batch_dims=1).numpy()
    return found
