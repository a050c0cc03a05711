"""Is a program or a world of probability 0.8 right in 8 of 10 cases?"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from lang2program_tf.learning.evaluation import Prediction, wilson_interval

NUM_BINS = 10


class Bin(NamedTuple):
    """Predictions of about the same probability.

    Attributes:
        low: the least probability.
        high: predictions with this probability are in the next bin, but for 1.
        examples: how many.
        right: those with the right final world.
        probability: mean, 0 if there are none.
    """

    low: float
    high: float
    examples: int
    right: int
    probability: float

    @property
    def accuracy(self) -> float:
        """The share of right ones, 0 if there are none."""
        return self.right / max(self.examples, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the accuracy."""
        return wilson_interval(self.right, self.examples)

    def to_json(self) -> dict[str, Any]:
        """The bin as one JSON object."""
        return {**self._asdict(), "accuracy": self.accuracy, "interval": self.interval}


def calibration(predictions: Sequence[Prediction]) -> list[Bin]:
    """Predictions in ten bins of equal width by their probability."""
    members: list[list[tuple[float, bool]]] = [[] for _ in range(NUM_BINS)]
    for prediction in predictions:
        probability = min(math.exp(prediction.log_prob), 1.0)
        place = min(int(probability * NUM_BINS), NUM_BINS - 1)
        members[place].append((probability, prediction.correct))
    return [
        Bin(
            low=place / NUM_BINS,
            high=(place + 1) / NUM_BINS,
            examples=len(found),
            right=sum(right for _, right in found),
            probability=sum(p for p, _ in found) / max(len(found), 1),
        )
        for place, found in enumerate(members)
    ]


def expected_calibration_error(bins: Sequence[Bin]) -> float:
    """Mean over examples of |accuracy − mean probability| of their bin."""
    total = sum(group.examples for group in bins)
    gaps = sum(group.examples * abs(group.accuracy - group.probability) for group in bins)
    return gaps / total if total else 0.0


def calibration_picture(bins: Sequence[Bin], title: str, *, answer: str = "program") -> bytes:
    """A reliability diagram over a histogram of the examples, as PNG.

    Args:
        bins: what is drawn.
        title: of the picture.
        answer: whose probability it is, that of a program or of a world.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (axes, counts) = pyplot.subplots(
        2, sharex=True, figsize=(5, 5.6), height_ratios=(3, 1), layout="constrained"
    )
    axes.plot([0, 1], [0, 1], color="0.4", linestyle="--", linewidth=1, label="calibrated")
    for group in bins:
        if group.examples:
            axes.plot([group.probability] * 2, group.interval, color="C0", alpha=0.4, linewidth=4)
    filled = [group for group in bins if group.examples]
    points = [group.probability for group in filled], [group.accuracy for group in filled]
    axes.plot(*points, "o", color="C0", clip_on=False, label="a bin, with its 95 % interval")
    axes.set(ylabel="accuracy", xlim=(0, 1), ylim=(0, 1))
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, title=title)
    left, heights = [group.low for group in bins], [group.examples for group in bins]
    bars = counts.bar(left, heights, 1 / NUM_BINS, align="edge", color="0.7", edgecolor="white")
    counts.bar_label(bars, fontsize=8)
    counts.margins(y=0.25)
    counts.set(xlabel=f"probability of the best {answer}", ylabel="examples")
    for part in (axes, counts):
        part.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, dpi=130, format="png")
    pyplot.close(figure)
    return picture.getvalue()
