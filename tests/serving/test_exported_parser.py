"""The exported functions: the same answers as search in Python, row by row, whatever is beside."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from lang2program_tf.language import DOMAINS, execute, get_domain, parse_program, trace
from lang2program_tf.machine import Examples, get_machine
from lang2program_tf.search import BeamSearch, best_programs
from lang2program_tf.serving.graph_parser import NO_LOG_PROB
from lang2program_tf.serving.settings import ExportSettings
from lang2program_tf.word_ids import PADDING
from tests.serving import parsers
from tests.serving.exports import ORIGIN, SETTINGS, TOKENIZER
from tests.serving.in_process import parse, signatures

STAGE = get_domain("scene").example
# Every domain has a parser and graphs of its own: one will do while editing.
ONE_QUICKLY = [
    pytest.param(domain, marks=[] if domain == "scene" else pytest.mark.slow) for domain in DOMAINS
]


def texts(values):
    return [value.decode() for value in values]


def search_in_python(domain, examples):
    """The best programs of examples, without any text in the graph."""
    language, machine = get_domain(domain), get_machine(domain)
    parser, rules = parsers.parser(domain), machine.rules
    worlds = [language.parse_world(example.world) for example in examples]
    ids = [
        [
            parsers.words().encode(TOKENIZER.read(text), max_words=language.max_words)
            for text in e.utterances
        ]
        for e in examples
    ]
    size = max(map(len, ids))
    longest = max(len(row) for rows in ids for row in rows)
    words = np.full([len(examples), size, longest], PADDING, np.int32)
    for b, rows in enumerate(ids):
        for m, row in enumerate(rows):
            words[b, m, : len(row)] = row
    codes = tf.constant(rules.encode_worlds(worlds))
    tree = BeamSearch(machine, parser, beam_size=SETTINGS.beam_size, limit="row").search(
        parser.read(tf.constant(words)),
        Examples.without_history(
            codes,
            next_identity=tf.constant(rules.next_identities(worlds)),
            target=codes,
            num_utterances=tf.constant([len(rows) for rows in ids]),
        ),
        seed=tf.constant([0, 0]),
    )
    return tree.num_complete.numpy(), best_programs(machine, tree, SETTINGS.top_k)


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_answers_are_those_of_the_search(domain):
    language, examples = get_domain(domain), parsers.examples(domain)
    answers = parse(domain, [e.world for e in examples], [e.utterances for e in examples])
    num_found, programs = search_in_python(domain, examples)
    assert answers["num_found"].tolist() == num_found.tolist()
    assert np.mean(num_found > 0) > 0.5
    for row in range(len(examples)):
        expected = [
            " ".join(language.tokens[i].name for i in ids if i >= 0)
            for ids in programs.tokens[row].numpy()
        ]
        log_probs = programs.log_prob[row].numpy()
        assert answers["log_prob"][row] == pytest.approx(
            np.where(log_probs > -np.inf, log_probs, NO_LOG_PROB), abs=1e-4
        )
        log_probs = log_probs[log_probs > -np.inf]
        if np.all(np.diff(log_probs) < -1e-4):  # else the order may be another one
            assert texts(answers["program"][row]) == expected


@pytest.mark.parametrize("domain", ONE_QUICKLY)
def test_programs_lead_to_their_worlds_and_the_first_to_those_on_the_way(domain):
    language, examples = get_domain(domain), parsers.examples(domain)
    answers = parse(domain, [e.world for e in examples], [e.utterances for e in examples])
    checked = 0
    for row, example in enumerate(examples):
        start = language.parse_world(example.world)
        found = texts(answers["program"][row])
        for program, world in zip(found, texts(answers["world"][row])):
            if program:
                state = execute(language, start, parse_program(language, program))
                assert (str(state.world), state.stack) == (world, ())
                assert state.utterance == len(example.utterances)
                checked += 1
        if found[0]:
            states = trace(language, start, parse_program(language, found[0]))
            shown = {state.utterance: str(state.world) for state in states}
            expected = [shown[i] for i in range(1, len(example.utterances) + 1)]
            on_the_way = texts(answers["worlds"][row])
            assert on_the_way == expected + [""] * (SETTINGS.max_utterances - len(expected))
    assert checked > len(examples)


def test_a_row_is_answered_as_if_alone():
    examples = parsers.examples("scene")[::3]
    together = parse("scene", [e.world for e in examples], [e.utterances for e in examples])
    for row, example in enumerate(examples):
        alone = parse("scene", [example.world], [example.utterances])
        for name, values in alone.items():
            if name == "log_prob":
                assert values[0] == pytest.approx(together[name][row], abs=1e-4)
            else:
                assert np.array_equal(values[0], together[name][row]), name


def test_columns_of_nothing_change_nothing():
    example = parsers.examples("scene")[0]
    narrow = parse("scene", [example.world], [example.utterances])
    wide = parse("scene", [example.world], [[*example.utterances, *[""] * 20]])
    assert narrow["program"].tolist() == wide["program"].tolist()
    assert wide["worlds"].shape == (1, SETTINGS.max_utterances)


BAD_ROWS = [
    ("1:x", ["he leaves"], "the world is not in the notation of scene"),
    (b"\xff", ["he leaves"], "the world is not UTF-8 text"),
    ("1" * 10_000, ["he leaves"], "the world is longer than 1000 bytes"),
    (STAGE, [], "there is no utterance"),
    (STAGE, [" \u2003"], "there is no utterance"),
    (STAGE, ["he leaves"] * 6, "there are more than 5 utterances"),
    (STAGE, [*["he leaves"] * 5, "", b"\xff" * 3000], "there are more than 5"),
    (STAGE, ["he leaves", "", "she"], "an utterance is empty and a later one"),
    (STAGE, ["he leaves", b"he \xc3 leaves"], "utterance 2 is not UTF-8 text"),
    (STAGE, ["he " * 1000], "utterance 1 is longer than 2000 bytes"),
]


def test_every_bad_row_gets_its_sentence_and_no_program():
    answers = parse("scene", [row[0] for row in BAD_ROWS], [row[1] for row in BAD_ROWS])
    for row, (_, _, error) in enumerate(BAD_ROWS):
        assert answers["error"][row].decode().startswith(error)
        assert not any(answers["program"][row]) and not any(answers["world"][row])
        assert not any(answers["worlds"][row])
        assert answers["num_found"][row] == 0
        assert set(answers["log_prob"][row].tolist()) == {NO_LOG_PROB}


def test_an_answer_tells_how_words_were_read_and_which_are_unknown():
    world = STAGE
    said = ["The man in Yelow, leaves.", "he xyzzyx back " + "so " * 40]
    found = parse("scene", [world, "nonsense"], [said, said])
    read = texts(found["read_as"][0])
    assert read[0] == "the man in yellow leaves"
    assert read[1].split()[:3] == ["he", "xyzzyx", "back"]
    assert len(read[1].split()) == get_domain("scene").max_words
    assert set(read[2:]) == {""}
    assert texts(found["unknown_words"][0]) == ["", "xyzzyx", *read[2:]]
    for name in ("read_as", "unknown_words"):
        assert set(texts(found[name][1])) == {""}


@pytest.mark.slow
def test_a_search_without_a_program_says_so():
    # Nothing can be done with an empty row of tangrams.
    answers = parse("tangrams", [""], [["remove the first one"]])
    assert answers["error"][0] == b"the search found no program"
    assert not any(answers["program"][0])


junk = some.one_of(
    some.binary(max_size=40),
    some.text(max_size=40).map(str.encode),
    some.sampled_from([b"", b"\0", b"<pad>", b"1:r_", STAGE.encode()]),
    some.integers(900, 3000).map(lambda size: b"x " * size),
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=some.lists(some.tuples(junk, some.lists(junk, max_size=8)), max_size=20))
def test_junk_never_harms_its_neighbours(rows):
    example = parsers.examples("scene")[1]
    expected = good_answer()
    worlds = [example.world, *(world for world, _ in rows), example.world]
    utterances = [example.utterances, *(texts for _, texts in rows), example.utterances]
    answers = parse("scene", worlds, utterances)
    for row in (0, -1):
        assert answers["program"][row].tolist() == expected["program"][0].tolist()
        assert answers["log_prob"][row] == pytest.approx(expected["log_prob"][0], abs=1e-4)
    for error, program in zip(answers["error"], answers["program"]):
        assert bool(error) != bool(program[0])
        error.decode()


@functools.cache
def good_answer():
    example = parsers.examples("scene")[1]
    return parse("scene", [example.world], [example.utterances])


@pytest.mark.parametrize("columns", [0, 1, 7])
def test_a_request_without_rows_is_answered_without_rows(columns):
    found = signatures("scene")["parse"](
        world=tf.zeros([0], tf.string), utterances=tf.zeros([0, columns], tf.string)
    )
    assert found["program"].shape == (0, SETTINGS.top_k)
    assert found["worlds"].shape == (0, SETTINGS.max_utterances)
    assert found["error"].shape == (0,)


def test_a_request_longer_than_a_step_is_answered_whole():
    examples = (parsers.examples("scene") * 2)[: 2 * SETTINGS.rows_per_step + 3]
    answers = parse("scene", [e.world for e in examples], [e.utterances[:1] for e in examples])
    assert len(answers["error"]) == len(examples)
    last = parse("scene", [examples[-1].world], [examples[-1].utterances[:1]])
    assert answers["program"][-1].tolist() == last["program"][0].tolist()


def test_a_request_of_unequal_columns_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same number of rows"):
        signatures("scene")["parse"](
            world=tf.constant([STAGE]), utterances=tf.constant([["a"], ["b"]])
        )


def score(domain, world, utterances, programs):
    rows = len(programs)
    found = signatures(domain)["score"](
        world=tf.constant([world] * rows),
        utterances=tf.constant([list(utterances)] * rows),
        program=tf.constant(programs),
    )
    return {name: value.numpy() for name, value in found.items()}


@pytest.mark.parametrize("domain", ONE_QUICKLY)
def test_scores_of_the_prefixes_of_a_program_add_up_to_its_own(domain):
    language = get_domain(domain)
    examples = [e for e in parsers.examples(domain) if len(e.utterances) in (1, 3)]
    answers = parse(domain, [e.world for e in examples], [e.utterances for e in examples])
    compared = 0
    for example, program, log_prob, worlds in zip(
        examples, answers["program"][:, 0], answers["log_prob"][:, 0], answers["worlds"]
    ):
        if not program:
            continue
        tokens = program.decode().split()
        prefixes = [" ".join(tokens[:length]) for length in range(len(tokens))]
        found = score(domain, example.world, example.utterances, prefixes)
        ids = [language.token_id(language.token(name)) for name in tokens]
        assert set(texts(found["error"])) == {""}
        assert found["allowed"][range(len(ids)), ids].all()
        assert found["log_prob"][range(len(ids)), ids].sum() == pytest.approx(log_prob, abs=1e-4)
        assert found["attention"].sum(axis=1) == pytest.approx(1, abs=1e-5)
        assert found["utterance"].max() == len(example.utterances)
        before_last = [example.world, *texts(worlds)][len(example.utterances) - 1]
        assert found["world"][-1].decode() == str(language.parse_world(before_last))
        compared += 1
    assert compared > 3


def test_attention_stands_beside_the_words_it_is_paid_to():
    found = score("scene", STAGE, ["The  Man leaves", "he"], ["red hasShirt"])
    assert texts(found["words"][0][:4]) == ["the", "man", "leaves", ""]
    assert (found["attention"][0] > 0).tolist() == [True] * 3 + [False] * 22


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("red leave", "token 2 cannot run there or completes the program"),
        ("red hasShirt leave", "token 3 cannot run there or completes the program"),
        ("red nonesuch", "token 2 is no token of scene"),
        ("red " * 36, "it has more than 35 tokens"),
        ("red" * 1000, "the program is longer than 700 bytes"),
        (b"\xff", "the program is not UTF-8 text"),
    ],
)
def test_a_program_that_does_not_go_on_gets_a_sentence(program, error):
    found = score("scene", STAGE, ["he leaves"], [program, "red hasShirt"])
    assert found["error"][0].decode() == error
    assert found["utterance"].tolist() == [0, 1]
    assert set(found["log_prob"][0].tolist()) == {NO_LOG_PROB}
    assert not found["allowed"][0].any() and found["allowed"][1].any()


def test_metadata_repeats_itself_for_every_row():
    found = signatures("scene")["metadata"](request=tf.constant(["", "x"]))
    assert texts(found["domain"].numpy()) == ["scene"] * 2
    assert texts(found["tokens"][1].numpy()) == [t.name for t in get_domain("scene").tokens]
    assert found["step"].numpy().tolist() == [ORIGIN.step] * 2
    assert texts(found["config"].numpy()) == [ORIGIN.config] * 2
    assert b'"beam_size": 12' in found["settings"].numpy()[0]


@pytest.mark.parametrize("name", ["beam_size", "top_k", "max_utterances"])
@pytest.mark.parametrize("value", [0, -1, 2.5])
def test_settings_that_make_no_sense_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        ExportSettings(**{name: value})
