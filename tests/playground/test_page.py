"""The page in a real browser, with the parsers that ship."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest

from lang2program_tf.language import DOMAINS, get_domain, to_infix
from lang2program_tf.language.infix import infix_commands
from lang2program_tf.server.front import Front
from lang2program_tf.server.served_model import ServedModel
from lang2program_tf.server.server import Server
from lang2program_tf.serving import connect
from tests.playground.browser import Visitor
from tests.playground.fake_parser import WORLD, FakeParser

TAB, ENTER, RIGHT, SHIFT_TAB, CONTROL_Z = "\ue004", "\ue007", "\ue014", "\ue008\ue004", "\ue009z"
DIALOGUES = {
    "alchemy": [
        "pour the orange beaker into the green one",
        "mix it",
        "throw out one unit of the yellow chemical",
        "empty the first beaker",
        "pour the red beaker into the yellow one",
    ],
    "scene": [
        "the man in red moves to the left of the man in yellow",
        "they swap their hats",
        "the man in red leaves",
        "a person in green appears on the left end",
        "the person in yellow moves to position 3",
    ],
    "tangrams": [
        "swap the first and the last figure",
        "remove the third figure",
        "bring it back at the right end",
        "delete the second figure",
        "swap the first two figures",
    ],
}


def answer_of(server, domain, world, said):
    with connect(f"http://127.0.0.1:{server.rest_port}", model=domain) as client:
        return client.parse(world, said)


@pytest.mark.parametrize("domain", DIALOGUES)
def test_a_dialogue_of_five_sentences_is_shown_as_the_parser_understands_it(
    visitor, server, domain
):
    visitor.choose(domain)
    (start,) = visitor.worlds
    said = DIALOGUES[domain]
    for count in range(1, 6):
        visitor.say(said[count - 1])
        answer = answer_of(server, domain, start, said[:count])
        commands = infix_commands(get_domain(domain), answer.best.program.split())
        assert visitor.texts(".step .program") == [command.infix for command in commands]
        assert visitor.worlds == [start, *(world or "an empty row" for world in answer.worlds)]
        assert visitor.texts(".sentence") == said[:count]
    percents = [text.strip("< %") for text in visitor.texts(".alternative .bar")]
    expected = [100 * one.probability for one in answer.alternatives]
    assert list(map(float, percents)) == pytest.approx(expected, abs=0.11)
    visitor.until(lambda: visitor.all(".newest .attention tbody tr"))
    tokens = visitor.texts(".newest .attention tbody th")
    assert tokens == [token.name for token in commands[-1].tokens]
    assert visitor.texts(".newest .attention thead th")[2:] == said[-1].split()


def test_what_changed_is_marked(visitor):
    visitor.choose("scene")
    start = visitor.worlds[0].split()
    visitor.say("the man in red leaves")
    after = visitor.worlds[1].split()
    marked = {int(e.get_attribute("data-position")) for e in visitor.all(".newest .place.changed")}
    assert marked == {i for i, (a, b) in enumerate(zip(start, after), start=1) if a != b} != set()


def test_a_sixth_sentence_starts_anew_from_the_last_world(visitor):
    visitor.choose("tangrams")
    for sentence in [*DIALOGUES["tangrams"], "remove the first figure"]:
        visitor.say(sentence)
    assert len(visitor.all(".step")) == 6
    assert visitor.worlds[5] == visitor.worlds[6]
    assert visitor.texts(".start .remark")[1].startswith("The parser reads 5 sentences together")


def test_undo_goes_back_and_a_link_brings_all_of_it_back(visitor):
    visitor.choose("scene")
    visitor.choose("Two on a stage")
    worlds, link = visitor.worlds, visitor.window.current_url
    assert len(worlds) == 4
    visitor.one("#undo").click()
    visitor.until(lambda: len(visitor.worlds) == 3)
    visitor.one("body").send_keys(CONTROL_Z)
    visitor.until(lambda: visitor.worlds == worlds[:2])
    visitor.open(link)
    assert visitor.worlds == worlds
    visitor.one("#restart").click()
    visitor.until(lambda: visitor.worlds == worlds[:1])


def test_a_world_is_changed_by_clicking_and_goes_on_from_there(visitor):
    visitor.choose("scene")
    visitor.choose("empty")
    visitor.one('[data-position="4"]').click()
    visitor.one('[aria-label="somebody with a shirt of red"]').click()
    visitor.until(lambda: " 4:r_ " in visitor.worlds[-1])
    visitor.one('[data-position="4"]').click()
    visitor.one('[aria-label="hat blue"]').click()
    visitor.until(lambda: " 4:rb " in visitor.worlds[-1])
    visitor.say("the man in red leaves")
    visitor.one('.newest [data-position="1"]').click()
    visitor.one('[aria-label="somebody with a shirt of green"]').click()
    visitor.until(lambda: visitor.worlds[-1].startswith("1:g_ "))
    assert visitor.texts(".start .remark")[-1].startswith("Changed by hand.")


@pytest.mark.parametrize(
    ("domain", "clicks", "world"),
    [
        ("alchemy", ["add red", "add brown", "take one unit", "add red"], "1:rr 2:_"),
        ("tangrams", ["move to 3", "piece remove", "add at the end boat"], "1:2 2:0 3:3 4:4 5:1"),
    ],
)
def test_beakers_and_pieces_are_changed_by_clicking(visitor, domain, clicks, world):
    visitor.choose(domain)
    visitor.choose("empty" if domain == "alchemy" else "all pieces")
    for click in clicks:
        before = visitor.worlds
        visitor.one('[data-position="1"]').click()
        visitor.one(f'[aria-label="{click}"]').click()
        visitor.until(lambda before=before: visitor.worlds != before)
    assert visitor.worlds[0].startswith(world)


def test_everything_can_be_done_from_the_keyboard(visitor):
    def press(keys):
        visitor.window.switch_to.active_element.send_keys(keys)

    visitor.one("h1").click()  # Tab goes on from here
    press(TAB)
    assert visitor.texts(":focus") == ["Alchemy"]
    press(TAB)
    press(ENTER)
    visitor.wait()
    assert visitor.texts(":focus") == ["Scene"]
    press(TAB * 5)  # Tangrams, three examples, position 1
    for keys in (RIGHT, ENTER, TAB * 2, " "):  # the panel of position 2, and its green
        press(keys)
    visitor.until(lambda: " 2:g_ " in visitor.worlds[-1])
    assert visitor.ask(":focus", "e.dataset.position") == ["2"]
    press(TAB * 9)  # the other places, and the sentence
    press("the man in green leaves" + ENTER)
    visitor.until(lambda: visitor.all(".step"))
    press(SHIFT_TAB)  # from the sentence back to the attention, and to the last alternative
    press(SHIFT_TAB)
    assert len(visitor.all(".preview .world")) == 1
    press(CONTROL_Z)
    visitor.until(lambda: not visitor.all(".step"))


def test_what_another_domain_or_example_replaced_comes_back_by_undo(visitor):
    visitor.choose("scene")
    visitor.say("the man in red leaves")
    said = visitor.worlds
    visitor.choose("alchemy")
    visitor.choose("Down the drain")
    for _ in range(5):  # three sentences, the beakers before them, and those of the domain
        visitor.one("#undo").click()
        visitor.wait()
    assert visitor.worlds == said
    assert visitor.ask("#models [aria-pressed=true]", "e.textContent") == ["scene"]


def test_pointing_at_an_alternative_shows_its_world(visitor, server):
    from selenium.webdriver.common.action_chains import ActionChains

    visitor.choose("scene")
    start = visitor.worlds[0]
    visitor.say("the man moves to the right")
    alternatives = answer_of(server, "scene", start, ["the man moves to the right"]).alternatives
    for number, expected in list(enumerate(alternatives))[1:]:
        row = visitor.all(".alternative")[number]
        ActionChains(visitor.window).move_to_element(row).perform()
        visitor.until(lambda: visitor.all(".preview .world"))
        assert visitor.one(".preview .world").get_attribute("aria-label") == expected.world
    ActionChains(visitor.window).move_to_element(visitor.one("h1")).perform()
    visitor.until(lambda: not visitor.all(".preview"))


@pytest.mark.parametrize(
    ("hash_", "notice"),
    [
        ("model=scene&world=nonsense&say=x", "“nonsense” is not a world of scene."),
        ("model=pond&world=1:r_", "There is no model pond here."),
        (
            "model=tangrams&world=1:0 2:1&say=" + "x" * 2100,
            "No program: utterance 1 is longer than 2000 bytes.",
        ),
    ],
)
def test_a_link_that_cannot_be_answered_says_why(visitor, hash_, notice):
    visitor.open(f"{visitor.url}#{quote(hash_, safe='=&')}")
    visitor.until(lambda: visitor.notice)
    assert visitor.notice == notice
    assert visitor.all(".card")
    visitor.say("he leaves")
    assert not visitor.notice


def test_nothing_said_can_become_part_of_the_page(visitor):
    visitor.choose("scene")
    visitor.say('<img src=x onerror="document.title=1"> leaves')
    assert not visitor.all("#steps img")
    assert visitor.window.title == "From language to programs"


def test_a_phone_shows_it_without_scrolling_sideways(visitor):
    visitor.window.set_window_size(390, 800)
    try:
        visitor.choose("scene")
        visitor.choose("Two on a stage")
        visitor.say("the man in red leaves " + "grumph" * 40)
        widths = "return [document.documentElement.scrollWidth, innerWidth]"
        content, screen = visitor.window.execute_script(widths)
        assert content <= screen
    finally:
        visitor.window.set_window_size(1100, 1400)


def test_an_export_with_other_outputs_is_shown_with_what_it_has(window):
    with Server([ServedModel("tangrams", FakeParser())], grpc_port=None) as server:
        url = f"http://127.0.0.1:{server.rest_port}/"
        visitor = Visitor(window, f"{url}#model=tangrams&world={quote(WORLD)}")
        visitor.say("remove the zorgle, grumph!")
        assert visitor.texts(".bar") == ["75.0 %", "12.5 %"]
        assert visitor.texts(".alternative .remark") == ["17 programs agree", "one program"]
        assert visitor.texts(".alternatives summary") == ["2 worlds"]
        assert visitor.texts("mark") == ["zorgle,", "grumph!"]
        assert visitor.texts(".step > div > .remark") == [
            "read as: remove the zorgle grumph",
            "unknown: zorgle, grumph",
        ]
        assert visitor.texts(".gone") == ["gone"]
        assert not visitor.all(".attention")
        visitor.say("fail")
        assert visitor.notice == "No program: this one is too hard."
        assert visitor.one("#sentence").get_attribute("value") == "fail"
        assert len(visitor.all(".step")) == 1
        visitor.window.set_window_size(390, 500)
        try:  # it is seen where one types, though the page is longer than the screen
            visitor.window.execute_script("scrollTo(0, 0)")
            (below,) = visitor.ask("#notice", "innerHeight - e.getBoundingClientRect().bottom")
            (length,) = visitor.ask("html", "e.scrollHeight - innerHeight")
            assert length > 100 and below >= 0
        finally:
            visitor.window.set_window_size(1100, 1400)


@pytest.mark.parametrize("in_front", [False, True])
def test_a_server_that_is_gone_is_told_and_asked_again(window, in_front):
    model = ServedModel("tangrams", FakeParser())
    server = Server([model], grpc_port=None)
    port, address = server.rest_port, f"http://127.0.0.1:{server.rest_port}"
    front = Front(address, models=["tangrams", "pond"]) if in_front else None
    try:
        url = f"http://127.0.0.1:{front.port}/" if front else f"{address}/"
        visitor = Visitor(window, f"{url}#model=tangrams&world={quote(WORLD)}")
        assert visitor.texts("#models button") == ["Tangrams"]
        server.stop()
        visitor.say("remove it")
        told = f"{address} does not answer" if front else "The server does not answer."
        assert visitor.notice == f"{told} Try again"
        server = Server([model], grpc_port=None, rest_port=port)
        visitor.one("#notice button").click()
        visitor.until(lambda: len(visitor.all(".step")) == 1)
        assert not visitor.notice
    finally:
        server.stop()
        if front:
            front.stop()


def test_programs_in_infix_are_those_of_the_language(visitor):
    chance = random.Random(3)
    programs = []
    for domain in DOMAINS.values():
        for _ in range(300):
            tokens = chance.choices(domain.tokens, k=chance.randrange(1, 12))
            programs.append((domain, [token.name for token in tokens]))
    script = """
        const [programs, done] = arguments;
        import("/playground/infix.js").then(({ infix }) => done(programs.map(infix)));
    """
    shown = visitor.window.execute_async_script(script, [" ".join(p) for _, p in programs])
    assert shown == [to_infix(domain, program) for domain, program in programs]
