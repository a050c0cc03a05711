"""Infix texts, by example and for any tokens; what is wrong with a text is told with its column."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lang2program_tf.language import (
    LanguageError,
    ProgramError,
    get_domain,
    parse_program,
    to_infix,
)
from lang2program_tf.language.infix import infix_commands
from lang2program_tf.language.tokens import Kind
from tests.language.strategies import domains, token_sequences, walks

SCENE = get_domain("scene")


def names(program) -> str:
    return " ".join(token.name for token in program)


@pytest.mark.parametrize(
    ("postfix", "infix"),
    [
        ("", ""),
        ("red", "red"),
        ("-1", "-1"),
        ("allObjects 2 index leave", "leave(index(allObjects, 2))"),
        (
            "yellow hasHat blue hasShirt leftOf move",
            "move(hasHat(yellow), leftOf(hasShirt(blue)))",
        ),
        (
            "red hasShirt leave 3 green noHat create",
            "leave(hasShirt(red)); create(3, green, noHat)",
        ),
        ("red hasShirt leave -1 prevArg1", "leave(hasShirt(red)); prevArg1(-1)"),
    ],
)
def test_a_program_has_an_infix_text(postfix, infix):
    program = parse_program(SCENE, postfix)
    assert to_infix(SCENE, program) == infix
    assert parse_program(SCENE, infix) == program
    assert to_infix(SCENE, postfix.split()) == infix  # names will do for tokens


@pytest.mark.parametrize(
    ("postfix", "infix"),
    [
        ("hasHat", "hasHat()"),
        ("move", "move()"),
        ("3 move", "move(3)"),
        ("prevAction", "prevAction()"),
        ("red blue", "red, blue"),
        ("red blue hasHat", "red, hasHat(blue)"),
        ("3 red hasHat leave", "3, leave(hasHat(red))"),
        # What one command leaves over is not shown as an argument of the next.
        ("3 red hasHat leave blue noHat create", "3, leave(hasHat(red)); create(blue, noHat)"),
        ("move move 1", "move(); move(); 1"),
    ],
)
def test_values_that_lack_or_are_left_over_are_shown_as_they_are(postfix, infix):
    program = parse_program(SCENE, postfix)
    assert to_infix(SCENE, program) == infix
    assert parse_program(SCENE, infix) == program


@pytest.mark.parametrize(
    ("postfix", "infix"),
    [
        # The action that is repeated says how many values belong to it,
        ("1 leave 2 3 -1 prevAction", "leave(1); 2, prevAction(3, -1)"),
        ("1 2 move 3 leave 4 5 6 1 prevAction", "move(1, 2); leave(3); 4, prevAction(5, 6, 1)"),
        # also through another prevAction,
        (
            "1 leave 2 -1 prevAction 3 4 2 prevAction",
            "leave(1); prevAction(2, -1); 3, prevAction(4, 2)",
        ),
        # and if it lacks values it has those that are there.
        ("1 2 move -1 prevAction", "move(1, 2); prevAction(-1)"),
        # Nobody can tell from the text: no such command, a number that is computed, no number,
        ("1 leave 2 3 9 prevAction", "leave(1); prevAction(2, 3, 9)"),
        ("1 leave 2 3 1 prevArg2 prevAction", "leave(1); prevAction(2, 3, prevArg2(1))"),
        ("1 leave 2 red prevAction", "leave(1); prevAction(2, red)"),
        # or a prevAction that is not known itself; commands after it are counted all the same.
        ("red prevAction 1 2 -1 prevAction", "prevAction(red); prevAction(1, 2, -1)"),
        (
            "red prevAction 3 leave 1 2 2 prevAction",
            "prevAction(red); leave(3); 1, prevAction(2, 2)",
        ),
    ],
)
def test_prev_action_takes_what_the_action_that_it_repeats_takes(postfix, infix):
    program = parse_program(SCENE, postfix)
    assert to_infix(SCENE, program) == infix
    assert parse_program(SCENE, infix) == program


@given(st.data(), domains, st.booleans())
def test_any_tokens_come_back_from_their_infix_text(data, domain, original_names):
    program = tuple(data.draw(token_sequences(domain, max_size=40)))
    text = to_infix(domain, program, original_names=original_names)
    assert parse_program(domain, text) == program


@given(walks())
def test_a_program_that_runs_comes_back_from_its_infix_text(walk):
    assert list(parse_program(walk.domain, to_infix(walk.domain, walk.tokens))) == walk.tokens


@given(st.data(), domains)
def test_any_tokens_come_back_from_their_postfix_text(data, domain):
    program = tuple(data.draw(token_sequences(domain)))
    separator = data.draw(st.sampled_from([" ", "\n", "\t  "]))
    for text in (
        separator.join(token.name for token in program),
        separator.join(token.original for token in program),
    ):
        assert parse_program(domain, text) == program


@given(st.data(), domains)
def test_commands_are_the_program_cut_after_every_action(data, domain):
    program = data.draw(token_sequences(domain, max_size=30))
    commands = infix_commands(domain, program)
    assert [token for command in commands for token in command.tokens] == program
    assert "; ".join(command.infix for command in commands) == to_infix(domain, program)
    for place, command in enumerate(commands, start=1):
        *inner, last = [token.kind in (Kind.ACTION, Kind.PREV_ACTION) for token in command.tokens]
        assert not any(inner)
        assert last or place == len(commands)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("hasHat", "hasHat"),
        ("hasHat, 3", "hasHat 3"),
        ("move(hasHat, 3)", "hasHat 3 move"),
        ("red, hasHat", "red hasHat"),
        ("leave", "leave"),
        ("leave; leave()", "leave leave"),
        ("3 leave; 4 5 move", "3 leave 4 5 move"),  # postfix, and `;` after an action
        ("1 leave 2 leave; move(3, 4); 5", "1 leave 2 leave 3 4 move 5"),
        ("  move ( hasHat\n( red ),3 )  ", "red hasHat 3 move"),
        ("AMove(PHat(y), PLeft(hasShirt(blue)))", "yellow hasHat blue hasShirt leftOf move"),
        ("prevAction(1, 2, 3, 4, 5)", "1 2 3 4 5 prevAction"),
        (" \n ", ""),
    ],
)
def test_other_ways_to_write_a_program(text, program):
    assert names(parse_program(SCENE, text)) == program


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("red foo", 5, "'foo' is not a token of scene; its tokens are: "),
        ("move(hasHat(yelow), 3)", 13, "'yelow' is not a token"),
        ("move(hasHat(red), 3", 20, "expected ',' or ')' for move of column 1, found the end"),
        ("move(hasHat(red)", 17, "expected ',' or ')' for move of column 1, found the end"),
        ("move(1; 2)", 7, "expected ',' or ')' for move of column 1, found ';'"),
        ("move(hasHat red)", 13, "expected ',' or ')' for move of column 1, found 'red'"),
        ("hasHat(red))", 12, "expected ',', ';' or the end, found ')'"),
        ("hasHat(red) blue", 13, "expected ',', ';' or the end, found 'blue'"),
        ("1 2, 3", 3, "expected ',', ';' or the end, found '2'"),
        ("(red)", 1, "expected a token, found '('"),
        ("move(, 3)", 6, "expected a token, found ','"),
        ("move(3, )", 9, "expected a token, found ')'"),
        ("3,", 3, "expected a token, found the end"),
        ("hasHat(", 8, "expected a token, found the end"),
        (";", 1, "expected a token, found ';'"),
        ("leave;", 7, "expected a token, found the end"),
        ("leave;; leave", 7, "expected a token, found ';'"),
        ("red; leave", 4, "expected an action to end the command, found ';'"),
        ("red(blue)", 4, "expected no bracket after red, found '('"),
        ("allObjects()", 11, "expected no bracket after allObjects, found '('"),
        ("PHat(red, blue)", 11, "expected ')', as PHat takes no more than 1, found 'blue'"),
        ("leave(leave(1))", 7, "expected a value as argument, not an action, found 'leave'"),
        ("leave(1), 2", 9, "expected ';' or the end after an action, found ','"),
    ],
)
def test_an_error_tells_the_column_and_what_was_expected(text, column, message):
    with pytest.raises(ProgramError) as caught:
        parse_program(SCENE, text)
    assert str(caught.value).startswith(f"column {column} of the program: {message}")


@pytest.mark.parametrize("text", [None, 3, b"red", ["red"]])
def test_a_program_that_is_not_a_text_is_a_program_error(text):
    with pytest.raises(ProgramError, match="a program is a text"):
        parse_program(SCENE, text)


def test_a_name_that_is_no_token_has_no_infix_text():
    with pytest.raises(ProgramError, match="'foo' is not a token of scene"):
        to_infix(SCENE, ["red", "foo"])


# Texts made of tokens and signs go further into the parser than any text does.
nearly_programs = st.lists(
    st.sampled_from([*"(),;", " ", "red", "hasHat", "move", "prevAction", "-1", "index", "AMove"])
).map("".join)


@settings(max_examples=300)
@given(st.one_of(st.text(), nearly_programs, nearly_programs), domains)
@example("(" * 100_000, SCENE)
@example("\ud800", SCENE)
def test_a_text_is_a_program_or_a_language_error_of_one_line(text, domain):
    try:
        program = parse_program(domain, text)
    except LanguageError as error:
        assert isinstance(error, ProgramError)
        assert len(str(error).splitlines()) == 1
    else:
        assert parse_program(domain, to_infix(domain, program)) == program


def test_no_nesting_is_too_deep():
    depth = 20_000
    text = "hasHat(" * depth + ")" * depth
    program = parse_program(SCENE, text)
    assert len(program) == depth
    assert to_infix(SCENE, program) == text
    with pytest.raises(ProgramError, match=f"column {len(text)} of the program"):
        parse_program(SCENE, text[:-1])
