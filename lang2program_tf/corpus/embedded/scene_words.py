"""The words of the scene grammar: nouns with their pronouns, verbs in two tenses, sentences."""

from __future__ import annotations

import random

COLOR_TOKENS = {
    "r": "red",
    "y": "yellow",
    "g": "green",
    "o": "orange",
    "p": "purple",
    "b": "blue",
    "e": "noHat",
}

_HE = {"he": "he", "him": "him", "his": "his"}
_SHE = {"he": "she", "him": "her", "his": "her"}
_NOUNS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("man", 8, _HE),
    ("person", 6, _HE),
    ("guy", 4, _HE),
    ("woman", 3, _SHE),
    ("figure", 1, _HE),
    ("gentleman", 1, _HE),
    ("lady", 1, _SHE),
    ("girl", 1, _SHE),
    ("boy", 1, _HE),
    ("fellow", 1, _HE),
    ("actor", 1, _HE),
    ("player", 1, _HE),
)

PAST_TENSE = 0.2
# Present and past, each with the same weights.
_VERBS = {
    "moves": (
        "[moves*10|walks*2|goes*2|steps|shifts|heads|runs|travels|proceeds|slides|jumps]",
        "[moved*10|walked*2|went*2|stepped|shifted|headed|ran|traveled|proceeded|slid|jumped]",
    ),
    "leaves": (
        "[leaves*5|disappears*4|exits*2|goes away|walks off|departs|vanishes|steps out]",
        "[left*5|disappeared*4|exited*2|went away|walked off|departed|vanished|stepped out]",
    ),
    "exits": ("[leaves*2|exits]", "[left*2|exited]"),
    "appears": (
        "[appears*6|enters*3|arrives*2|shows up*2|comes in|stands|joins|pops up|steps in]",
        "[appeared*6|entered*3|arrived*2|showed up*2|came in|stood|joined|popped up|stepped in]",
    ),
    "takes": (
        "[takes*6|steals|grabs|gets|wins|receives]",
        "[took*6|stole|grabbed|got|won|received]",
    ),
    "gives": (
        "[gives*6|hands*2|passes|presents|offers]",
        "[gave*6|handed*2|passed|presented|offered]",
    ),
    "trades": (
        "[trades*2|swaps*2|switches*2|exchanges]",
        "[traded*2|swapped*2|switched*2|exchanged]",
    ),
    "trade": (
        "[trade*2|swap*2|switch*2|exchange]",
        "[traded*2|swapped*2|switched*2|exchanged]",
    ),
    "does": ("does", "did"),
    "follows": ("[follows*2|joins in]", "[followed*2|joined in]"),
    "puts": ("[puts on|wears|tries on]", "[put on|wore|tried on]"),
    "takes_back": ("[takes*3|gets|grabs|wants]", "[took*3|got|grabbed|wanted]"),
}

_STAGE = "the [stage*2|scene*2|screen|room|group|line]"
LEAVE = f"[{{p}} {{leaves}}*8|{{p}} {{leaves}} from {_STAGE}|{{p}} {{exits}} {_STAGE}*2]"
DID_LIKEWISE = (
    "[{p} {does} the same*3|{p} {does} so too|so {does} {p}*2|{p} {follows}|{p} {does} likewise]"
)
EDGES = {
    side: (
        f"[{{on_to}} the far {side}*6|{{at}} the {side} end*4|{{at}} the {side} edge*2|"
        f"{{on_to}} the extreme {side}|{{at}} the {side}most [spot|position|place]|"
        f"{{at}} the {side} end of the [stage|line|row]]"
    )
    for side in ("left", "right")
}
MOVE = "{p} {moves} [|||||over|all the way] {place}"
MOVE_STEP = (
    "[{p} {moves} [one|1|a|a single] [space*4|step*4|spot*3|position|place|square] [to the*4|] "
    "{side}*8|{p} {moves} [slightly|a little|a bit] to the {side}*2|"
    "{p} {moves} over one to the {side}|{p} {moves} to the {side} by one [space|step|spot]*2]"
)
MOVE_AGAIN = (
    "[{he} {moves} {again} in [the same direction|that direction]*2|{he} {moves} {again}*2|"
    "{he} {does} [it|that|so|the same thing] {again}*3|{he} {moves} one [step|space|spot] more "
    "the same way|{he} {moves} further]"
)
APPEAR = (
    "[[a*8|another*2|a new] {noun} {clothes} {appears} {place}*8|"
    "someone {clothes} {appears} {place}|{place} [a*2|another|a new] {noun} {clothes} {appears}]"
)
TAKE = (
    "[{p} {takes} [the hat*3|the {hat} hat*3] [from*5|off|of] {q}*6|"
    "{p} {puts} the [{hat}|] hat of {q}]"
)
GIVE = (
    "[{p} {gives} [the*2|{his}*3] [|{hat}] hat [|away] to {q}*6|"
    "{p} {gives} {q} [the|{his}] [|{hat}] hat*2|{p} {trades} [{his}|the] hat to {q}]"
)
SWAP = "[{p} and {q} {trade} [hats*4|their hats|caps]*2|{p} {trades} hats with {q}*2]"
THEY_SWAP = "[they*3|both|the two|the two of them|both of them] {trade} [hats*4|their hats*2|caps]"
GIVE_BACK = "{he} {gives} [it*3|the hat*2|that hat] back [|||right away]"
TAKE_BACK = "{he} {takes_back} [it*3|the hat*2|{his} hat] back [|||right away]"
SWAP_BACK = "[they {trade} [back*3|again*2|hats again|hats back]|they {trade} once more]"


def draw_voice(rng: random.Random) -> dict[str, str]:
    """The habits of a speaker: what people are called, and in which tense things happen."""
    noun, _, pronouns = rng.choices(_NOUNS, weights=[weight for _, weight, _ in _NOUNS])[0]
    tense = int(rng.random() < PAST_TENSE)
    return {
        "noun": noun,
        **pronouns,
        **{name: tenses[tense] for name, tenses in _VERBS.items()},
    }
