"""Compares ranked programs with a recording, where nearly equal scores may stand in any order.

Another float32 computation ranks programs of nearly equal score in another order, and at the end of
a full beam lets another one fall off. Such a near-tie is no difference, but it has to be proved: a
program that is missing must get the recorded score from our parser, and the first of its prefixes
that did not live here must stand within the tolerance of the last one that did.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lang2program_tf.corpus.words import WordVectors
from lang2program_tf.language import Domain
from lang2program_tf.log_probs import NEVER
from lang2program_tf.model import Parser
from lang2program_tf.parity.beam_records import BEAM_SIZE, FoundBeam, Scores
from lang2program_tf.parity.comparison import Comparison, Tolerance
from lang2program_tf.parity.path_scores import score_paths
from lang2program_tf.parity.recordings import Record

# Sums of up to 35 float32 terms: beside the tolerance of a term, a few units of the last place.
TOLERANCE = Tolerance(1e-4, relative=2e-6)

Program = tuple[str, ...]


class RankedPrograms:
    """The programs that were recorded and found for one record.

    Attributes:
        diverged: whether a near-tie let another prefix live here than there; from then on numbers
            of programs may differ.
    """

    def __init__(
        self,
        comparison: Comparison,
        record: Record,
        found: FoundBeam,
        *,
        parser: Parser,
        domain: Domain,
        words: WordVectors,
    ) -> None:
        self._comparison = comparison
        self._record = record
        self._found = found
        self._parser = parser
        self._domain = domain
        self._words = words
        self.diverged = False

    def compare(self, recorded: Sequence[tuple[Program, float]], found: Scores, place: str) -> None:
        """Compares the best programs or prefixes, of which `found` may hold more, best first."""
        comparison, expected = self._comparison, dict(recorded)
        comparison.same(len(recorded), len(expected), place, "different programs")
        for program, score in recorded:
            if program in found:
                comparison.close(score, found[program], place, "log-probability of", *program)
            elif self._is_missing_by_a_near_tie(program, score):
                self._count_divergence()
            else:
                comparison.differs(score, "no such program", place, *program)
        last = min(expected.values(), default=NEVER)
        at_end = len(recorded) == BEAM_SIZE
        for program, score in list(found.items())[: max(len(recorded), BEAM_SIZE)]:
            if program in expected or (at_end and near(score, last)):
                continue
            if self._is_here_by_a_near_tie(program):
                self._count_divergence()
            else:
                comparison.differs("no such program", score, place, *program)
        self._compare_order(expected, found, place)

    def count(self, expected: int, found: int, *place: str) -> None:
        """Compares a number of programs."""
        if self.diverged and expected != found:
            self._comparison.near_ties += 1
            return
        self._comparison.same(expected, found, *place)

    def _compare_order(self, expected: Scores, found: Scores, place: str) -> None:
        """Compares the ranks of the programs that are in both."""
        ours = [program for program in found if program in expected]
        theirs = [program for program in expected if program in found]
        for rank, (wanted, got) in enumerate(zip(theirs, ours), start=1):
            self._comparison.values += 1
            if wanted == got:
                continue
            if near(expected[wanted], expected[got]):
                self._comparison.near_ties += 1
            else:
                self._comparison.differs(" ".join(wanted), " ".join(got), place, f"rank {rank}")

    def _count_divergence(self) -> None:
        self._comparison.values += 1
        self._comparison.near_ties += 1
        self.diverged = True

    def _is_missing_by_a_near_tie(self, program: Program, score: float) -> bool:
        """Whether our parser gives the program its score, and a prefix fell just off our beam."""
        (path,) = score_paths(
            self._parser, self._domain, self._record, [program], words=self._words
        )
        if path is None:
            return False
        scores = np.cumsum(path.log_probs, dtype=np.float64)
        if not near(score, float(scores[-1])):
            return False
        for length, prefix_score in enumerate(scores, start=1):
            live = self._found.live_after(length)
            if program[:length] not in live:
                return len(live) == BEAM_SIZE and near(float(prefix_score), min(live.values()))
        return False

    def _is_here_by_a_near_tie(self, program: Program) -> bool:
        """Whether a prefix of the program only just stayed on our beam."""
        for length in range(1, len(program) + 1):
            live = self._found.live_after(length)
            score = live.get(program[:length])
            if score is not None and len(live) == BEAM_SIZE and near(score, min(live.values())):
                return True
        return False


def near(score: float, other: float) -> bool:
    """Whether two scores are equal within the tolerance."""
    return abs(score - other) <= max(TOLERANCE.absolute, TOLERANCE.relative * abs(score))
