"""Search for programs in the graph, and the rules that say which prefixes live on."""

from lang2program_tf.search.batch_part import BatchPart
from lang2program_tf.search.beam_search import BeamSearch
from lang2program_tf.search.by_worlds import WorldSearch
from lang2program_tf.search.programs import best_programs
from lang2program_tf.search.randomized import RandomizedOriginal, RandomizedPaper
from lang2program_tf.search.sampled import Rollouts
from lang2program_tf.search.selection import Classic, Selection
from lang2program_tf.search.tree import Programs, SearchTree

__all__ = [
    "BatchPart",
    "BeamSearch",
    "Classic",
    "Programs",
    "RandomizedOriginal",
    "RandomizedPaper",
    "Rollouts",
    "SearchTree",
    "Selection",
    "WorldSearch",
    "best_programs",
]
