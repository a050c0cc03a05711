from __future__ import annotations

from lang2program_tf.reproduction.report import markdown, summarize
from tests.reproduction.examples import OURS, PAPER, TABLE, as_now, by_key, record

THREE_SEEDS = by_key(
    record(PAPER, 0, 0.60, 0.5),
    record(PAPER, 1, 0.50, 0.4),
    record(PAPER, 5, 0.657, 0.1),
)


def row(text: str, label: str) -> list[str]:
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    (cells,) = [cells for cells in lines if cells[0].strip() == label]
    return [cell.strip() for cell in cells]


def test_a_row_has_median_range_and_the_papers_figure():
    text = markdown(TABLE, THREE_SEEDS, fits=as_now)
    assert row(text, "Good") == [
        *("Good", "scene", "3"),
        *("60.0 (50.0–65.7)", "64.8", "40.0 (10.0–50.0)", "46.2", "yes / yes"),
        *("2,000", "5,000", "1.5"),
    ]


def test_what_no_run_has_given_is_a_dash():
    text = markdown(TABLE, THREE_SEEDS, fits=as_now)
    assert row(text, "new") == ["new", "alchemy", *"–––––", "– / –", *"–––"]


def test_one_seed_has_no_range_and_two_have_their_mean_as_median():
    one = by_key(record(OURS, 0, 0.5, 0.25))
    assert row(markdown(TABLE, one, fits=as_now), "new")[3:-2] == [
        *("50.0", "–", "25.0", "–", "– / –", "1,000")
    ]
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
    assert columns == [12, 12, 12, 12]


def test_the_caption_stands_first_and_says_what_a_dash_means():
    text = markdown(TABLE, {}, fits=as_now)
    caption, *_ = text.removeprefix("# table9\n\n").splitlines()
    assert caption.startswith("Table 9, this and that. ")
    assert caption.endswith(" – means that no run is finished.")
    assert "embedded" not in text and "other settings" not in text


def test_runs_that_are_not_comparable_are_named():
    records = by_key(
        record(PAPER, 0, 0.5, 0.5, corpus="embedded"),
        record(PAPER, 1, 0.5, 0.5, config="of old"),
        record(PAPER, 2, 0.5, 0.5),
        record(PAPER._replace(gin_files=("gone.gin",)), 3, 0.5, 0.5, config="of old"),
    )
    text = markdown(TABLE, records, fits=as_now)
    assert "not to be compared with the paper: Good on scene (seed 0).\n" in text
    assert "bindings give now: Good on scene (seed 1).\n" in text


def test_the_code_that_runs_were_made_with_is_named():
    records = by_key(
        record(PAPER, 0, 0.5, 0.5, code=["abc"]),
        record(PAPER, 1, 0.5, 0.5, code=["abc", "def"]),
        record(OURS, 2, 0.5, 0.5),
        record(OURS, 3, 0.5, 0.5, code=["abc"]),
    )
    text = markdown(TABLE, records, fits=as_now)
    assert "Run with the code abc: Good on scene (seed 0); new on alchemy (seed 3).\n" in text
    assert "Run with the code abc then def: Good on scene (seed 1).\n" in text
    assert "of a version that was not kept: new on alchemy (seed 2).\n" in text


def test_the_papers_figure_is_compared_as_it_is_printed():
    near = by_key(record(PAPER, 0, 0.6476, 0.46), record(PAPER, 1, 0.6, 0.3))
    assert row(markdown(TABLE, near, fits=as_now), "Good")[7] == "yes / no"


def test_the_summary_for_programs_has_the_same_numbers():
    good, new = summarize(TABLE, THREE_SEEDS)
    assert (good["row"], good["domain"], good["seeds"]) == ("good", "scene", [0, 1, 5])
    assert good["accuracy"]["5"] == {
        **{"median": 40.0, "min": 10.0, "max": 50.0},
        **{"paper": 46.2, "within": True},
    }
    assert good["best_step"] == 2000
    assert (new["seeds"], new["best_step"]) == ([], None)
    assert set(new["accuracy"]["3"].values()) == {None}


def test_a_table_with_held_out_dialogues_shows_them_behind_dev_and_its_goals():
    table = TABLE._replace(reference="goal", holdout=True)
    seen = [
        record(PAPER, seed, three, 0.5, holdout={"accuracy": {"3": three - 0.1, "5": 0.25}})
        for seed, three in enumerate((0.6, 0.5, 0.7))
    ]
    text = markdown(table, by_key(*seen), fits=as_now)
    assert row(text, "learner") == [
        *("learner", "domain", "seeds", "3 utterances", "goal", "5 utterances", "goal"),
        *("3 held out", "5 held out", "best step", "steps", "hours"),
    ]
    assert row(text, "Good") == [
        *("Good", "scene", "3", "60.0 (50.0–70.0)", "64.8", "50.0", "46.2"),
        *("50.0 (40.0–60.0)", "25.0", "2,000", "5,000", "1.5"),
    ]
    assert row(text, "new")[3:] == ["–"] * 9
    good, _ = summarize(table, by_key(*seen))
    assert good["accuracy"]["3"]["goal"] == 64.8
    assert good["holdout"]["5"] == {"median": 25.0, "min": 25.0, "max": 25.0}


def test_a_run_that_held_nothing_out_has_no_such_accuracy():
    table = TABLE._replace(holdout=True)
    text = markdown(table, by_key(record(PAPER, 0, 0.5, 0.5)), fits=as_now)
    assert row(text, "Good")[8:10] == ["–", "–"]
