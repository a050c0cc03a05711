"""The beam of a parser for an example, as the paper's last table shows it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import tensorflow as tf

from lang2program_tf.corpus.scone import Example
from lang2program_tf.language import to_infix
from lang2program_tf.learning.learner import Learner
from lang2program_tf.log_probs import NEVER
from lang2program_tf.text_tables import markdown_table


def beam_tables(learner: Learner, examples: Sequence[Example], *, count: int) -> list[str]:
    """For each example a table of its best programs: probability, program, reward (a star).

    Args:
        learner: whose parser and evaluation search are used.
        examples: of one domain.
        count: so many programs, if there are.
    """
    batch = learner.task.batch_maker(tuple(examples))(tf.range(len(examples)))
    programs = learner.predict(batch, count=count).programs
    domain = learner.task.domain
    tables = []
    for row in range(len(examples)):
        found = []
        for tokens, log_prob, rewarded in zip(
            programs.tokens[row].numpy(),
            programs.log_prob[row].numpy(),
            programs.rewarded[row].numpy(),
        ):
            if log_prob > NEVER:
                program = to_infix(domain, [domain.tokens[i] for i in tokens if i >= 0])
                found.append((f"{math.exp(log_prob):.3f}", program, "*" if rewarded else ""))
        tables.append(markdown_table(("p", "program", "reward"), found[:count], left=3))
    return tables
