from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lang2program_tf.language import DOMAINS, ProgramError, UnknownDomainError, WorldError
from lang2program_tf.language.domains import get_domain
from lang2program_tf.language.tokens import Kind
from tests.language.examples import beakers, stage
from tests.language.strategies import domains, world_texts

EVERY_DOMAIN = pytest.mark.parametrize("domain", DOMAINS.values(), ids=list(DOMAINS))


@given(st.data(), domains)
def test_a_world_prints_as_it_was_written(data, domain):
    text = data.draw(world_texts(domain))
    world = domain.parse_world(text)
    assert str(world) == text
    assert domain.parse_world(str(world)) == world
    assert hash(domain.parse_world(text)) == hash(world)


@given(st.data(), domains)
def test_worlds_are_equal_exactly_if_they_print_the_same(data, domain):
    first, second = data.draw(world_texts(domain)), data.draw(world_texts(domain))
    assert (domain.parse_world(first) == domain.parse_world(second)) == (first == second)


# Texts that are nearly worlds go further into the parsers than any text does.
nearly_worlds = st.text("0123456789:_rygopbe \n", max_size=60)


@given(st.one_of(st.text(), nearly_worlds), domains)
def test_a_text_is_a_world_or_a_world_error_of_one_line(text, domain):
    try:
        world = domain.parse_world(text)
    except WorldError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert str(world) == " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("alchemy", "1:g 2:_", "has 7 positions, this one has 2"),
        ("alchemy", beakers(_3="ggggg"), "position 3 holds 'ggggg'"),
        ("alchemy", beakers(_7="x"), "position 7 holds 'x'"),
        ("alchemy", beakers().replace("2:", "3:"), "'3:_' stands where position 2 should be"),
        ("scene", "", "has 10 positions, this one has 0"),
        ("scene", stage(_4="r"), "position 4 holds 'r'"),
        ("scene", stage(_4="_r"), "position 4 holds '_r'"),
        ("tangrams", "1:5", "position 1 holds '5'"),
        ("tangrams", "1:2 2:0 3:2", "shape 2 stands at position 3 and before it"),
        ("tangrams", "1:2 2:", "'2:' is not POSITION:CONTENT"),
    ],
)
def test_a_world_error_says_where_the_text_is_wrong(name, text, message):
    with pytest.raises(WorldError, match=message):
        get_domain(name).parse_world(text)


@pytest.mark.parametrize("text", [None, 3, b"1:2"])
def test_a_world_that_is_not_a_text_is_a_world_error(text):
    with pytest.raises(WorldError, match="a world is a text"):
        get_domain("tangrams").parse_world(text)


def test_an_unknown_domain_is_told_which_there_are():
    with pytest.raises(UnknownDomainError, match="'chess'; domains are: alchemy, scene, tangrams"):
        get_domain("chess")


@EVERY_DOMAIN
def test_tokens_stand_in_the_order_of_the_original_names(domain):
    originals = [token.original for token in domain.tokens]
    assert originals == sorted(originals)
    assert [domain.token_id(token) for token in domain.tokens] == list(range(len(originals)))
    assert sorted(domain.embedding_order) == list(range(len(originals)))


@EVERY_DOMAIN
def test_a_token_is_found_by_either_name(domain):
    for token in domain.tokens:
        assert domain.token(token.name) is token
        assert domain.token(token.original) is token


def test_b_is_brown_in_alchemy_and_blue_in_scene():
    assert get_domain("alchemy").token("b").name == "brown"
    assert get_domain("scene").token("b").name == "blue"


@pytest.mark.parametrize("name", ["", "hashat", "-2", None, 1, ["red"]])
def test_an_unknown_token_is_a_program_error_that_lists_the_tokens(name):
    with pytest.raises(ProgramError, match="not a token of scene; its tokens are: .*hasHat"):
        get_domain("scene").token(name)


@EVERY_DOMAIN
def test_every_action_has_a_function_and_every_function_a_token(domain):
    names = {token.name for token in domain.tokens if token.kind is Kind.ACTION}
    assert names == set(domain.actions) == {token.name for token in domain.action_tokens}
    computed = (Kind.PROPERTY, Kind.RELATION)
    assert {t.name for t in domain.tokens if t.kind in computed} == set(domain.properties)
