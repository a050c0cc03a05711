"""One direction of an LSTM with hard sigmoid gates, and its gradient.

The gradient is written out because it can then do at once, for all words, everything but the few
products that pass from word to word. A gradient derived from the loop costs twice as much.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

# Gates of a fused kernel, in column order: the three hard sigmoids side by side, then the tanh.
GATES = ("input", "forget", "output", "cell")
NUM_SIGMOIDS = 3
# Words an iteration: a loop has a price by the iteration.
WORDS_AT_ONCE = 5


class Gates(NamedTuple):
    """The open gates; `sigmoids` [..., 3 * U] are the first three of GATES, `new` [..., U]."""

    sigmoids: tf.Tensor
    new: tf.Tensor


@tf.custom_gradient
def lstm_states(
    inputs: tf.Tensor, kernel: tf.Tensor
) -> tuple[tf.Tensor, Callable[[tf.Tensor], tuple[tf.Tensor, tf.Tensor]]]:
    """The states [W, N, U] of N sequences of W words, from a state and a cell of zeros.

    Args:
        inputs: [W, N, 4 * U] float32, what the words add to the gates, columns by GATES; hard
            sigmoids are clip(x, 0, 1) of it. W must be a multiple of WORDS_AT_ONCE.
        kernel: [U, 4 * U] float32, from the state to the gates.
    """
    states, cells = _run(inputs, kernel)

    def gradient(by_states: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        before = _shifted(states)
        gates = _open(inputs + _times(before, kernel))
        by_inputs = _run_back(by_states, gates, cells, tf.transpose(kernel))
        by_kernel = tf.matmul(_rows(before), _rows(by_inputs), transpose_a=True)
        return by_inputs, by_kernel

    return states, gradient


def _run(inputs: tf.Tensor, kernel: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The states and the cells [W, N, U]."""
    source = _parts(inputs)
    zeros = tf.zeros([tf.shape(inputs)[1], kernel.shape[0]])

    def advance(
        i: tf.Tensor,
        state: tf.Tensor,
        cell: tf.Tensor,
        states: tf.TensorArray,
        cells: tf.TensorArray,
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray, tf.TensorArray]:
        new_states, new_cells = [], []
        for word in tf.unstack(source.read(i), WORDS_AT_ONCE):
            sigmoids, new = _open(word + tf.matmul(state, kernel))
            take, keep, give = tf.split(sigmoids, NUM_SIGMOIDS, axis=-1)
            cell = keep * cell + take * new
            state = give * tf.tanh(cell)
            new_states.append(state)
            new_cells.append(cell)
        states, cells = states.write(i, tf.stack(new_states)), cells.write(i, tf.stack(new_cells))
        return i + 1, state, cell, states, cells

    *_, states, cells = tf.while_loop(
        lambda i, *_: i < source.size(),
        advance,
        (0, zeros, zeros, _empty(source, kernel.shape[0]), _empty(source, kernel.shape[0])),
    )
    return _joined(states), _joined(cells)


def _run_back(by_states: tf.Tensor, gates: Gates, cells: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """The gradient [W, N, 4 * U] by the gates' linear parts.

    Args:
        by_states: [W, N, U] the gradient by the states.
        gates: leading axes [W, N].
        cells: [W, N, U].
        kernel: [4 * U, U] from the gates to the state before.
    """
    take, keep, give = tf.split(gates.sigmoids, NUM_SIGMOIDS, axis=-1)
    shown = tf.tanh(cells)
    moves = (gates.sigmoids > 0) & (gates.sigmoids < 1)
    slopes = tf.where(moves, tf.concat([gates.new, _shifted(cells), shown], axis=-1), 0.0)
    slopes = tf.concat([slopes, take * _tanh_slope(gates.new)], axis=-1)
    given, kept, sloping = _parts(by_states), _parts(keep), _parts(slopes)
    showing = _parts(give * _tanh_slope(shown))
    zeros = tf.zeros_like(by_states[0])

    def retreat(
        i: tf.Tensor, by_state: tf.Tensor, by_cell: tf.Tensor, by_gates: tf.TensorArray
    ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.TensorArray]:
        words = zip(*(tf.unstack(part.read(i)) for part in (given, showing, sloping, kept)))
        new = []
        for given_here, show, slope, keep_here in reversed(list(words)):
            by_state += given_here
            by_cell += by_state * show
            new.append(tf.concat([by_cell, by_cell, by_state, by_cell], axis=-1) * slope)
            by_cell *= keep_here
            by_state = tf.matmul(new[-1], kernel)
        return i - 1, by_state, by_cell, by_gates.write(i, tf.stack(new[::-1]))

    *_, by_gates = tf.while_loop(
        lambda i, *_: i >= 0,
        retreat,
        (given.size() - 1, zeros, zeros, _empty(given, kernel.shape[0])),
    )
    return _joined(by_gates)


def _open(linear: tf.Tensor) -> Gates:
    """The gates from their linear parts [..., 4 * U]."""
    units = linear.shape[-1] // len(GATES)
    sigmoids, new = tf.split(linear, [NUM_SIGMOIDS * units, units], axis=-1)
    clipped = tf.raw_ops.ClipByValue(t=sigmoids, clip_value_min=0.0, clip_value_max=1.0)
    return Gates(clipped, tf.tanh(new))


def _tanh_slope(tanh: tf.Tensor) -> tf.Tensor:
    return 1.0 - tf.square(tanh)


def _shifted(values: tf.Tensor) -> tf.Tensor:
    """[W, N, U] the values of the word before, zeros for the first."""
    return tf.pad(values[:-1], [[1, 0], [0, 0], [0, 0]])


def _rows(values: tf.Tensor) -> tf.Tensor:
    """[W, N, n] to [W * N, n]."""
    return tf.reshape(values, [-1, values.shape[-1]])


def _times(values: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
    """[W, N, m] from [W, N, n] and [n, m], as one product."""
    shape = tf.shape(values)
    return tf.reshape(tf.matmul(_rows(values), kernel), [shape[0], shape[1], kernel.shape[1]])


def _parts(values: tf.Tensor) -> tf.TensorArray:
    """[W, N, n] as an array of [WORDS_AT_ONCE, N, n]."""
    shape = tf.shape(values)
    size = shape[0] // WORDS_AT_ONCE
    parts = tf.TensorArray(tf.float32, size, element_shape=[WORDS_AT_ONCE, None, values.shape[-1]])
    return parts.unstack(tf.reshape(values, [size, WORDS_AT_ONCE, shape[1], values.shape[-1]]))


def _empty(like: tf.TensorArray, width: int) -> tf.TensorArray:
    """An array of as many parts, to write to."""
    return tf.TensorArray(tf.float32, like.size(), element_shape=[WORDS_AT_ONCE, None, width])


def _joined(parts: tf.TensorArray) -> tf.Tensor:
    """The inverse of `_parts`."""
    values = parts.stack()
    shape = tf.shape(values)
    return tf.reshape(values, [shape[0] * WORDS_AT_ONCE, shape[2], values.shape[-1]])
