"""Tables of normal draws that do not depend on the seed of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import gin


@gin.configurable
class FixedNormal:
    """Draws a table of independent normals, always the same one.

    The original starts its tables of tokens and of primitives, and the rows of its special words,
    in this way: runs of one model with other seeds share them.
    """

    def __init__(
        self, *, seed: int = gin.REQUIRED, mean: float = gin.REQUIRED, std: float = gin.REQUIRED
    ) -> None:
        self.seed = seed
        self.mean = mean
        self.std = std

    def draw(self, rows: int, columns: int) -> NDArray[np.float32]:
        """[rows, columns] float32."""
        # RandomState, as the original, whose numbers NumPy has promised not to change.
        random = np.random.RandomState(self.seed)
        return random.normal(self.mean, self.std, size=(rows, columns)).astype(np.float32)
