"""Explores batches of other words and lengths with a compiled search.

XLA_FLAGS are those of `tests.xla_dumps`.
Prints how many programs the last one has found.
"""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.search import BeamSearch, RandomizedPaper
from tests.search.toys import tensors_of, toy_examples, toy_parser, words_of


def main() -> None:
    machine = get_machine("tangrams")
    search = BeamSearch(
        machine,
        toy_parser("tangrams"),
        beam_size=6,
        selection=RandomizedPaper(epsilon=0.1),
        jit_compile=True,
    )

    def explore(words: tf.Tensor, examples: Examples) -> tf.Tensor:
        memory = search.parser.read(words, examples)
        seed, step = tf.constant([0, 0]), tf.constant(0, tf.int64)
        return search.explore(memory, examples, seed=seed, step=step).num_complete

    words = tf.TensorSpec([2, 3, None], tf.int32)
    graph = tf.function(explore, autograph=False)
    one, two, three = toy_examples("tangrams")
    for batch, width in (((one, three), 5), ((one, one), 5), ((two, three), 10), ((one, two), 15)):
        examples = tensors_of(machine, batch)
        examples = examples._replace(history=tf.zeros([2, 3, 3], tf.int32))
        spec = tf.nest.map_structure(lambda part: tf.TensorSpec(part.shape, part.dtype), examples)
        found = graph.get_concrete_function(words, spec)(
            words_of(batch, utterances=3, words=width), examples
        )
    print(int(tf.reduce_sum(found)))


if __name__ == "__main__":
    main()
