"""Predictions of a parser, wherever it comes from: a run folder or an export."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Protocol

from lang2program_tf.corpus.corpora import load_corpus
from lang2program_tf.corpus.scone import Example, prefixes, read_lines
from lang2program_tf.corpus.tokenizers import Tokenizer
from lang2program_tf.language import Domain, get_domain
from lang2program_tf.learning.evaluation import Evaluator, Prediction
from lang2program_tf.learning.experiment import open_run
from lang2program_tf.serving import Client, ParseAnswer, ParseRequest
from lang2program_tf.serving.model import LocalTransport, Model


class Predictor(Protocol):
    """A parser that predicts examples.

    Attributes:
        domain: of the parser.
        corpus: that it was trained on.
        vocabulary: the words that it knows.
        tokenizer: makes words of utterances.
    """

    domain: Domain
    corpus: str
    vocabulary: Set[str]
    tokenizer: Tokenizer

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in any order."""


class RunPredictor:
    """The best checkpoint of a run folder."""

    def __init__(self, root_dir: str | Path, *, batch_size: int) -> None:
        self._learner = open_run(root_dir)
        self._batch_size = batch_size
        self.domain = self._learner.task.domain
        self.corpus = self._learner.task.corpus
        self.vocabulary: Set[str] = self._learner.task.words.vocabulary
        self.tokenizer = self._learner.task.tokenizer

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in the order of their numbers of utterances."""
        evaluator = Evaluator(self._learner, examples, batch_size=self._batch_size)
        with self._learner.evaluation_weights():
            yield from evaluator.predictions()


class ExportPredictor:
    """An exported parser; it gives its best programs only, so rewards are summed over these.

    Attributes:
        metadata: what the export is.
    """

    def __init__(self, path: str | Path, *, batch_size: int) -> None:
        model = Model(path)
        self._client = Client(LocalTransport(model), batch_size=batch_size)
        self._batch_size = batch_size
        self.metadata = self._client.metadata()
        self.domain = get_domain(self.metadata.domain)
        trained_on = re.search(r"^Task\.corpus = '([^']+)'", self.metadata.config, re.MULTILINE)
        self.corpus = trained_on[1] if trained_on else "scone"
        self.vocabulary: Set[str] = model.vocabulary()
        self.tokenizer = model.tokenizer()

    def predict(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """A prediction for every example, in their order."""
        for start in range(0, len(examples), self._batch_size):
            batch = examples[start : start + self._batch_size]
            requests = [ParseRequest(example.world, example.utterances) for example in batch]
            for example, answer in zip(batch, self._client.parse_many(requests)):
                yield self._prediction(example, answer)

    def _prediction(self, example: Example, answer: ParseAnswer) -> Prediction:
        target = self.domain.parse_world(example.target)
        rewarded = [
            alternative
            for alternative in answer.alternatives
            if self.domain.parse_world(alternative.world) == target
        ]
        best = answer.best
        return Prediction(
            example=example,
            program=tuple(best.program.split()) if best else (),
            log_prob=best.log_prob if best else -math.inf,
            world=best.world if best else None,
            correct=best in rewarded,
            num_complete=answer.num_found,
            num_rewarded=len(rewarded),
            reward=sum(alternative.probability for alternative in rewarded),
        )


def load(domain: Domain, corpus: str, split: str, tsv: str | None) -> Sequence[Example]:
    """Examples to evaluate on: a file's, or those of a corpus."""
    if tsv is not None:
        return prefixes(read_lines(tsv, domain.name))
    return load_corpus(corpus, domain.name, split=split)
