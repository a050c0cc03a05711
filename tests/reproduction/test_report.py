from __future__ import annotations

from lang2program_tf.reproduction.report import markdown, summarize
from tests.reproduction.examples import OURS, PAPER, TABLE, as_now, by_key, record

THREE_SEEDS = by_key(
    record(PAPER, 0, 0.60, 0.5),
    record(PAPER, 1, 0.50, 0.4),
    record(PAPER, 5, 0.657, 0.1),
)


def row(text: str, label: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {label} |")]
    return [part.strip() for part in line.strip("|").split("|")]


def test_a_row_has_median_range_and_the_papers_figure():
    text = markdown(TABLE, THREE_SEEDS, fits=as_now)
    assert row(text, "Good") == [
        *("Good", "scene", "3"),
        *("60.0 (50.0–65.7)", "64.8", "40.0 (10.0–50.0)", "46.2"),
        "2000",
    ]


def test_what_no_run_has_given_is_a_dash():
    text = markdown(TABLE, THREE_SEEDS, fits=as_now)
    assert row(text, "new") == ["new", "alchemy", *"––––––"]


def test_one_seed_has_no_range_and_two_have_their_mean_as_median():
    one = by_key(record(OURS, 0, 0.5, 0.25))
    assert row(markdown(TABLE, one, fits=as_now), "new")[3:] == ["50.0", "–", "25.0", "–", "1000"]
    two = {**one, **by_key(record(OURS, 1, 0.75, 0.25))}
    assert row(markdown(TABLE, two, fits=as_now), "new")[2:6] == [
        *("2", "62.5 (50.0–75.0)", "–", "25.0")
    ]


def test_a_corpus_without_long_examples_leaves_their_accuracy_out():
    short = by_key(record(PAPER, 0, 0.5, 0.25, accuracy={"1": 0.9, "3": 0.5}))
    assert row(markdown(TABLE, short, fits=as_now), "Good")[3:7] == ["50.0", "64.8", "–", "46.2"]


def test_all_lines_of_a_table_have_as_many_columns():
    lines = markdown(TABLE, THREE_SEEDS, fits=as_now).splitlines()
    columns = [line.count("|") for line in lines if line.startswith("|")]
    assert columns == [9, 9, 9, 9]


def test_the_caption_says_that_ours_is_validation_and_theirs_test():
    text = markdown(TABLE, {}, fits=as_now)
    assert text.startswith("# table9\n\nTable 9, this and that. ")
    assert "Ours is on the validation examples" in text
    assert "the paper's is on the test examples" in text
    assert "embedded" not in text and "other settings" not in text


def test_runs_that_are_not_comparable_are_named():
    records = by_key(
        record(PAPER, 0, 0.5, 0.5, corpus="embedded"),
        record(PAPER, 1, 0.5, 0.5, config="of old"),
        record(PAPER, 2, 0.5, 0.5),
        record(PAPER._replace(gin_file="gone.gin"), 3, 0.5, 0.5, config="of old"),
    )
    notes = markdown(TABLE, records, fits=as_now).splitlines()[-3:]
    assert notes[0].endswith(f"not to be compared with the paper: {PAPER.gin_file} seed 0.")
    assert notes[2].endswith(f"bindings give now: {PAPER.gin_file} seed 1.")


def test_the_summary_for_programs_has_the_same_numbers():
    good, new = summarize(TABLE, THREE_SEEDS)
    assert (good["row"], good["domain"], good["seeds"]) == ("good", "scene", [0, 1, 5])
    assert good["accuracy"]["5"] == {"median": 40.0, "min": 10.0, "max": 50.0, "paper": 46.2}
    assert good["best_step"] == 2000
    assert (new["seeds"], new["best_step"]) == ([], None)
    assert set(new["accuracy"]["3"].values()) == {None}
