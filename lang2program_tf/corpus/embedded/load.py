"""The embedded corpus as examples, in memory."""

from __future__ import annotations

import gin
from lang2program_tf.corpus.embedded.splits import Sizes, generate_splits, orig_lines
from lang2program_tf.corpus.scone import Example, check_split_and_form, examples_of

_DEFAULT = Sizes()


@gin.configurable
def load_embedded(
    domain: str,
    *,
    split: str,
    form: str = "substrings",
    seed: int = 0,
    train_lines: int = _DEFAULT.train,
    dev_lines: int = _DEFAULT.dev,
    test_lines: int = _DEFAULT.test,
) -> tuple[Example, ...]:
    """Examples of the embedded corpus, with gold programs, in the order of `load_examples`.

    Args:
      domain: `alchemy`, `scene` or `tangrams`.
      split: `train`, `dev` or `test`.
      form: of training examples, `substrings` or `orig`, as for `load_examples`.
      seed: of all chance in it; the same seed gives the same examples everywhere.
      train_lines: how many interactions of five utterances are for training.
      dev_lines: how many for validation.
      test_lines: how many for the test.
    """
    check_split_and_form(split, form)
    sizes = Sizes(train_lines, dev_lines, test_lines)
    lines = generate_splits(domain, seed=seed, sizes=sizes, until=split)[split]
    if split == "train" and form == "orig":
        lines = orig_lines(domain, lines)
    return examples_of(lines, split=split, form=form)
