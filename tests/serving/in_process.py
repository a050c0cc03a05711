"""The functions that an export has, before they are written."""

from __future__ import annotations

import functools

import tensorflow as tf

from lang2program_tf.language import get_domain
from lang2program_tf.serving.exported_parser import ExportedParser
from tests.serving import parsers
from tests.serving.exports import ORIGIN, SETTINGS, TOKENIZER


@functools.cache
def signatures(domain):
    module = ExportedParser(
        parsers.parser(domain),
        domain=get_domain(domain),
        settings=SETTINGS,
        origin=ORIGIN,
        words=parsers.words(),
        tokenizer=TOKENIZER,
    )
    found = module.signatures()
    found["module"] = module  # tables live as long as their owner
    return found


def parse(domain, worlds, utterances):
    """The answers to rows, as a dict of lists of rows."""
    width = max((len(row) for row in utterances), default=0)
    padded = [[*row, *[""] * (width - len(row))] for row in utterances]
    found = signatures(domain)["parse"](
        world=tf.constant(worlds, tf.string, [len(worlds)]),
        utterances=tf.constant(padded, tf.string, [len(worlds), width]),
    )
    return {name: value.numpy() for name, value in found.items()}
