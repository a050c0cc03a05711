"""Runs recorded examples through the search of the tests, as the original did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.log_probs import NEVER
from lang2program_tf.machine import Examples, Machine, get_machine
from lang2program_tf.model import Parser
from lang2program_tf.parity.path_scores import word_ids
from lang2program_tf.parity.recordings import Record
from lang2program_tf.search import BeamSearch, Programs, SearchTree, best_programs
from lang2program_tf.word_ids import PADDING

BEAM_SIZE = 32
ITERATIONS_PER_UTTERANCE = 7
# More than recordings hold, so that a program just below their end is still seen.
_BEST = BEAM_SIZE + 16

Scores = dict[tuple[str, ...], float]


class FoundProgram(NamedTuple):
    """A program that the search found, in the original's token names."""

    tokens: tuple[str, ...]
    log_prob: float
    world: str
    rewarded: bool


class FoundBeam(NamedTuple):
    """What the search found for one record.

    Attributes:
        num_complete: how many complete programs after every iteration.
        programs: the best of them, best first.
        live: the live prefixes after every iteration, best first.
    """

    num_complete: list[int]
    programs: list[FoundProgram]
    live: list[Scores]

    def live_after(self, tokens: int) -> Scores:
        """The live prefixes of so many tokens."""
        return self.live[tokens - 1] if tokens <= len(self.live) else {}


class RecordSearch:
    """Classic beam search over recorded examples, traced once for batches of any size."""

    def __init__(self, domain: str, parser: Parser, *, words: WordVectors) -> None:
        """Binds a parser, whose weights may change between searches."""
        self.machine: Machine = get_machine(domain)
        self._words = words
        self._parser = parser
        self._search = BeamSearch(
            self.machine,
            parser,
            beam_size=BEAM_SIZE,
            iterations_per_utterance=ITERATIONS_PER_UTTERANCE,
        )
        positions = self.machine.rules.num_positions
        numbers = tf.TensorSpec([None], tf.int32)
        worlds = tf.TensorSpec([None, positions], tf.int32)
        examples = Examples(
            world=worlds,
            next_identity=numbers,
            target=worlds,
            num_utterances=numbers,
            history=tf.TensorSpec([None, None, 3], tf.int32),
            num_commands=numbers,
            first_world=worlds,
        )
        self._run = tf.function(
            self._search_batch,
            input_signature=[tf.TensorSpec([None, None, None], tf.int32), examples],
            autograph=False,
        )

    def run(self, records: Sequence[Record], *, iterations: int) -> list[FoundBeam]:
        """Searches records that have `world0`, `answer` and `utterances`.

        Args:
            records: one batch.
            iterations: of the search, 7 for each utterance of the longest example. That one need
                not be among the records: a batch may have been cut.
        """
        most = max(len(record["utterances"]) for record in records)
        longest = iterations // ITERATIONS_PER_UTTERANCE
        batch = list(records)
        if longest > most:
            batch.append({**records[0], "utterances": [*records[0]["utterances"]] * longest})
            batch[-1]["utterances"] = batch[-1]["utterances"][:longest]
        tree, best = self._run(self._word_ids(batch), self._examples(batch))
        tree = SearchTree(*(None if part is None else part.numpy() for part in tree))
        best = Programs(*(part.numpy() for part in best))
        return [self._found(tree, best, row) for row in range(len(records))]

    def _search_batch(self, words: tf.Tensor, examples: Examples) -> tuple[SearchTree, Programs]:
        memory = self._parser.read(words, examples)
        tree = self._search.search(memory, examples, seed=tf.constant([0, 0]))
        return tree, best_programs(self.machine, tree, _BEST)

    def _word_ids(self, records: Sequence[Record]) -> NDArray[np.int32]:
        """[B, M, W] int32."""
        max_words = self.machine.rules.domain.max_words
        most = max(len(record["utterances"]) for record in records)
        rows = np.full([len(records), most, max_words], PADDING, np.int32)
        for row, record in zip(rows, records):
            ids = word_ids(record["utterances"], self._words, max_words)
            row[: len(ids)] = ids
        return rows

    def _examples(self, records: Sequence[Record]) -> Examples:
        rules = self.machine.rules
        parse = rules.domain.parse_world
        starts = [parse(record["world0"]) for record in records]
        return Examples.without_history(
            tf.constant(rules.encode_worlds(starts)),
            next_identity=tf.constant(rules.next_identities(starts)),
            target=tf.constant(rules.encode_worlds([parse(r["answer"]) for r in records])),
            num_utterances=tf.constant([len(record["utterances"]) for record in records]),
        )

    def _found(self, tree: SearchTree, best: Programs, row: int) -> FoundBeam:
        rules = self.machine.rules
        names = [token.original for token in rules.domain.tokens]
        programs = [
            FoundProgram(
                tokens=tuple(names[i] for i in best.tokens[row, n] if i >= 0),
                log_prob=float(best.log_prob[row, n]),
                world=str(rules.decode_world(best.world[row, n])),
                rewarded=bool(best.rewarded[row, n]),
            )
            for n in range(best.log_prob.shape[1])
            if best.log_prob[row, n] > NEVER
        ]
        complete = (tree.complete[:, row] > NEVER).sum(axis=(1, 2))
        return FoundBeam(complete.cumsum().tolist(), programs, _live_beams(names, tree, row))


def _live_beams(names: list[str], tree: SearchTree, row: int) -> list[Scores]:
    beams: list[Scores] = []
    prefixes: list[tuple[str, ...]] = [()]
    for parents, tokens, scores in zip(tree.parent[:, row], tree.token[:, row], tree.score[:, row]):
        live = [i for i, score in enumerate(scores) if score > NEVER]
        prefixes = [(*prefixes[parents[i]], names[tokens[i]]) for i in live]
        beams.append({prefix: float(scores[i]) for prefix, i in zip(prefixes, live)})
    return beams
