from __future__ import annotations

from lang2program_tf.corpus.order import evaluation_sample, original_order


def test_the_order_is_the_shuffle_of_python_2_with_seed_42():
    # `r.shuffle(x, r.random)` still does so in Python 3.9.
    assert original_order(range(10)) == (9, 7, 8, 5, 3, 4, 1, 2, 0, 6)


def test_no_item_is_lost():
    assert sorted(original_order(range(1000))) == list(range(1000))


def test_the_sample_is_drawn_without_replacement():
    sample = evaluation_sample(range(1000))
    assert len(set(sample)) == 150


def test_a_sample_of_fewer_examples_takes_all_of_them():
    assert sorted(evaluation_sample("abc")) == ["a", "b", "c"]
