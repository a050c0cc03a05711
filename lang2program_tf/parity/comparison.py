"""Counts what was compared with a recording, and keeps the first differences in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

_KEPT_DIFFERENCES = 5


class Tolerance(NamedTuple):
    """How far a computed number may be from the recorded one.

    Attributes:
        absolute: allowed anywhere.
        relative: allowed as a share of the recorded number, if that is more.
        of_largest: `absolute` is a share of the largest number of the array, if that is above 1.
    """

    absolute: float
    relative: float = 0.0
    of_largest: bool = False

    def __str__(self) -> str:
        text = f"{self.absolute:.0e}"
        if self.of_largest:
            text += " of largest"
        return f"{text}, {self.relative:.0e} rel" if self.relative else text

    def allowed(self, expected: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The error allowed at each number of an array."""
        absolute = self.absolute
        if self.of_largest:
            absolute *= max(1.0, float(np.abs(expected).max(initial=0.0)))
        return np.maximum(absolute, self.relative * np.abs(expected))


class Difference(NamedTuple):
    """One value that is not as recorded.

    Attributes:
        place: where it stands in the recording.
        expected: the recorded value.
        found: ours.
    """

    place: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected!r}, got {self.found!r}"


class Comparison:
    """What comparing one recording has found.

    Attributes:
        section: which kind of recording.
        subject: which recording of this kind, such as `scene.stack`.
        tolerance: of numbers; None if all values must be equal.
        records: records compared.
        values: values compared.
        differences: how many of them differ.
        largest_error: largest absolute error of a number, differing or not.
        near_ties: places where programs stand in another order because their scores are nearly
            equal; they are no differences.
        first: the first differences.
        notes: what the reader should know, a sentence each.
        problem: why the recording could not be compared, None if it was.
    """

    def __init__(self, section: str, subject: str, *, tolerance: Tolerance | None = None) -> None:
        self.section = section
        self.subject = subject
        self.tolerance = tolerance
        self.records = 0
        self.values = 0
        self.differences = 0
        self.largest_error = 0.0
        self.near_ties = 0
        self.first: list[Difference] = []
        self.notes: list[str] = []
        self.problem: str | None = None

    @property
    def passed(self) -> bool:
        """Whether values were compared and none differs."""
        return self.problem is None and self.values > 0 and self.differences == 0

    def same(self, expected: Any, found: Any, *place: Any) -> bool:
        """Compares a value that must be equal; `place` says where it stands."""
        self.values += 1
        if expected == found:
            return True
        self.differs(expected, found, *place)
        return False

    def close(
        self,
        expected: ArrayLike,
        found: ArrayLike,
        *place: Any,
        labels: Sequence[str] | None = None,
    ) -> bool:
        """Compares numbers, arrays of the same shape, within the tolerance.

        Args:
            expected: the recorded ones.
            found: ours.
            *place: where they stand.
            labels: what to call the entries of the last axis; their numbers if None.
        """
        wanted = np.asarray(expected, np.float64)
        got = np.asarray(found, np.float64)
        if wanted.shape != got.shape:
            self.values += 1
            self.differs(f"shape {wanted.shape}", f"shape {got.shape}", *place)
            return False
        assert self.tolerance is not None
        self.values += wanted.size
        with np.errstate(invalid="ignore"):
            errors = np.where(wanted == got, 0.0, np.abs(wanted - got))
            wrong = ~((errors <= self.tolerance.allowed(wanted)) | (errors == 0))
        # NumPy's maximum, which NaN wins.
        self.largest_error = float(np.maximum(self.largest_error, errors.max(initial=0.0)))
        for index in np.argwhere(wrong)[:_KEPT_DIFFERENCES]:
            at = tuple(map(int, index))
            names = [*at[:-1], labels[at[-1]]] if labels and at else at
            where = (*place, f"[{', '.join(map(str, names))}]") if at else place
            self._keep(float(wanted[at]), float(got[at]), *where)
        self.differences += int(wrong.sum())
        return not wrong.any()

    def differs(self, expected: Any, found: Any, *place: Any) -> None:
        """Counts a difference."""
        self.differences += 1
        self._keep(expected, found, *place)

    def _keep(self, expected: Any, found: Any, *place: Any) -> None:
        if len(self.first) < _KEPT_DIFFERENCES:
            self.first.append(Difference(" ".join(map(str, place)), expected, found))
