"""Initial values of the variables, all drawn from one seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lang2program_tf.fixed_normal import FixedNormal

Values = NDArray[np.float32]


class InitialValues:
    """Draws initial values; the same seed and the same order of calls give the same values."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def normal(self, rows: int, columns: int, *, mean: float, std: float) -> Values:
        """Independent normals."""
        return self._random.normal(mean, std, [rows, columns]).astype(np.float32)

    def glorot_uniform(self, inputs: int, outputs: int) -> Values:
        """Uniform within ±√(6 / (inputs + outputs)) (Glorot and Bengio, 2010)."""
        limit = np.sqrt(6 / (inputs + outputs))
        return self._random.uniform(-limit, limit, [inputs, outputs]).astype(np.float32)

    def orthogonal(self, size: int, *, gain: float) -> Values:
        """A uniformly drawn rotation or reflection, times `gain` (Saxe et al., 2014)."""
        q, r = np.linalg.qr(self._random.normal(size=[size, size]))
        # Without the signs, QR's own convention would show in the draw.
        return (gain * q * np.sign(np.diag(r))).astype(np.float32)


class InitialTables:
    """Draws embedding tables with mean and spread of given vectors."""

    def __init__(self, initial: InitialValues, *, like: Values) -> None:
        self._initial = initial
        self._mean, self._std = float(like.mean()), float(like.std())

    def values(self, fixed: FixedNormal | None, rows: int, columns: int) -> Values:
        """[rows, columns], the fixed ones if there are any."""
        if fixed is not None:
            return fixed.draw(rows, columns)
        return self._initial.normal(rows, columns, mean=self._mean, std=self._std)
