"""Draws a world for the terminal: a few lines of characters, with positions underneath."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from lang2program_tf.language.alchemy import CAPACITY, AlchemyWorld
from lang2program_tf.language.domain import World
from lang2program_tf.language.scene import NO_HAT, STAGE_LENGTH, SceneWorld
from lang2program_tf.language.tangrams import TangramsWorld

_RESET = "\x1b[0m"
# Background and foreground of each color letter, in the terminal's palette of 256.
_PAINTS: Dict[str, Tuple[int, int]] = {
    "r": (160, 15),
    "y": (226, 0),
    "g": (28, 15),
    "o": (208, 0),
    "p": (91, 15),
}
_ALCHEMY_PAINTS = {**_PAINTS, "b": (94, 15)}
_SCENE_PAINTS = {**_PAINTS, "b": (21, 15)}

# A picture is a tuple of lines, top first, all of the same visible width.
_Picture = Tuple[str, ...]

_SHAPES: Dict[str, _Picture] = {
    "0": (
        r"   ^   ",
        r"  /0\  ",
        r" /___\ ",
    ),
    "1": (
        r" ┌───┐ ",
        r" │ 1 │ ",
        r" └───┘ ",
    ),
    "2": (
        r"  / \  ",
        r" < 2 > ",
        r"  \ /  ",
    ),
    "3": (
        r"   ___ ",
        r"  /3 / ",
        r" /__/  ",
    ),
    "4": (
        r" \---/ ",
        r"  >4<  ",
        r" /---\ ",
    ),
}
_SHAPE_FOREGROUNDS = {"0": 203, "1": 220, "2": 78, "3": 75, "4": 177}


def draw(world: World, *, ansi: bool = False) -> str:
    """The world as lines of text without a final line break.

    Args:
        world: a world of any domain.
        ansi: whether to use the terminal's colors.
    """
    if isinstance(world, AlchemyWorld):
        return _draw_alchemy(world, ansi)
    if isinstance(world, SceneWorld):
        return _draw_scene(world, ansi)
    if isinstance(world, TangramsWorld):
        return _draw_tangrams(world, ansi)
    raise ValueError(f"world={world!r} is of no known domain")


def _draw_alchemy(world: AlchemyWorld, ansi: bool) -> str:
    beakers = []
    for beaker in world.objects:
        units = [_paint(f" {unit} ", unit, _ALCHEMY_PAINTS, ansi) for unit in beaker.units]
        units += ["   "] * (CAPACITY - len(units))
        glass = [f"│{unit}│" for unit in reversed(units)]
        beakers.append((*glass, "└───┘", f"{beaker.position:^5}"))
    return _side_by_side(beakers)


def _draw_scene(world: SceneWorld, ansi: bool) -> str:
    places: List[_Picture] = [("     ",) * 3] * STAGE_LENGTH
    for person in world.objects:
        has_hat = person.hat != NO_HAT
        hat = _paint(f"┌{person.hat}┐" if has_hat else "   ", person.hat, _SCENE_PAINTS, ansi)
        shirt = _paint(f"/{person.shirt}\\", person.shirt, _SCENE_PAINTS, ansi)
        places[person.position - 1] = (f" {hat} ", ' (") ', f" {shirt} ")
    return _side_by_side([(*place, "─────", f"{i:^5}") for i, place in enumerate(places, start=1)])


def _draw_tangrams(world: TangramsWorld, ansi: bool) -> str:
    if not world.shapes:
        return "(an empty row)"
    pieces = []
    for piece in world.objects:
        lines = _SHAPES[piece.shape]
        if ansi:
            color = _SHAPE_FOREGROUNDS[piece.shape]
            lines = tuple(f"\x1b[38;5;{color}m{line}{_RESET}" for line in lines)
        pieces.append((*lines, f"{piece.position:^7}"))
    return _side_by_side(pieces)


def _paint(text: str, letter: str, paints: Dict[str, Tuple[int, int]], ansi: bool) -> str:
    if not ansi or letter not in paints:
        return text
    background, foreground = paints[letter]
    return f"\x1b[48;5;{background};38;5;{foreground}m{text}{_RESET}"


def _side_by_side(pictures: Sequence[_Picture]) -> str:
    return "\n".join(" ".join(row).rstrip() for row in zip(*pictures))
