"""Searches on the second of two CPU devices, and prints which operations ran on which, as JSON."""

from __future__ import annotations

import json

import tensorflow as tf
from tensorflow.python.eager import context

from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.search import BeamSearch, RandomizedPaper, best_programs
from tests.search.toys import run, tensors_of, toy_examples, toy_parser, words_of

DEVICE = "CPU:1"


def main() -> None:
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    machine, examples = get_machine("scene"), toy_examples("scene")
    with tf.device(DEVICE):
        parser = toy_parser("scene")
    search = BeamSearch(machine, parser, beam_size=16, selection=RandomizedPaper(epsilon=0.1))

    def find(words: tf.Tensor, examples: Examples, seed: tf.Tensor):
        with tf.device(DEVICE):
            # TensorFlow hands int inputs over on the first device.
            words, examples, seed = tf.nest.map_structure(tf.identity, (words, examples, seed))
            tree = run(search, words, examples, seed=seed)
            return tree.num_complete, best_programs(machine, tree, 3)

    inputs = (words_of(examples), tensors_of(machine, examples), tf.constant([0, 0]))
    function = tf.function(find, autograph=False)
    context.context().enable_run_metadata()
    with tf.device(DEVICE):
        num_complete, _ = function(*inputs)
    ran = context.context().export_run_metadata()
    nodes = [node for graph in ran.partition_graphs for node in graph.node]
    there = {node.op for node in nodes if node.device.endswith(DEVICE)}
    elsewhere = {node.op for node in nodes if not node.device.endswith(DEVICE)}
    print(
        json.dumps(
            {
                "there": sorted(there),
                "elsewhere": sorted(elsewhere),
                "num_complete": int(tf.reduce_sum(num_complete)),
            }
        )
    )


if __name__ == "__main__":
    main()
