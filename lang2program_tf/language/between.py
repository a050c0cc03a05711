"""Commands and the worlds around them: what a command does, and which command did what one sees."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, Callable, Dict, Iterator, List, Tuple, Type

from lang2program_tf.language.alchemy import ALCHEMY, AlchemyWorld
from lang2program_tf.language.domain import Domain, World
from lang2program_tf.language.errors import ActionError, ExecutionError
from lang2program_tf.language.executor import UNKNOWN_COMMAND, Command, State
from lang2program_tf.language.scene import SCENE, Person, SceneWorld
from lang2program_tf.language.tangrams import TANGRAMS, TangramsWorld
from lang2program_tf.language.values import Color, Value


def perform(domain: Domain, state: State, command: Command) -> State:
    """The state after a command, whose arguments are as history keeps them."""
    if command == UNKNOWN_COMMAND:
        raise ActionError("nobody knows what an unknown command does")
    world, arguments = domain.actions[command.action](state.world, stack_of(command))
    return State(world, (*state.history, Command(command.action, arguments)), state.stack)


def stack_of(command: Command) -> List[Value]:
    """The values on the stack, the top last, from which an action makes this command.

    History keeps what was popped first as first argument of a swap, and a created person whole.
    """
    if command.action in ("swap", "swapHats"):
        return list(reversed(command.arguments))
    if command.action == "create":
        (person,) = command.arguments
        assert isinstance(person, Person)
        return [person.position, Color(person.shirt), Color(person.hat)]
    return list(command.arguments)


def commands_between(world: World, next_world: World) -> Tuple[Command, ...]:
    """Every command that leads from one world to the next, with arguments as history keeps them.

    A swap is two commands, one for each order of its arguments. People are those of `world`; what
    `next_world` says of their hidden numbers does not count.
    """
    domain, guess = _GUESSES[type(world)]
    before = State(world)
    found = []
    for action, *arguments in guess(world, next_world):
        command = Command(action, tuple(arguments))
        try:
            after = perform(domain, before, command)
        except ExecutionError:
            continue
        if after.world == next_world:
            found.append(after.history[-1])
    return tuple(found)


# The name of an action and its arguments, which may turn out not to fit.
_Guess = Tuple[Any, ...]


def _guess_alchemy(world: AlchemyWorld, next_world: AlchemyWorld) -> Iterator[_Guess]:
    changed = [(b, a) for b, a in zip(world.objects, next_world.objects) if b != a]
    if len(changed) == 1:
        before, after = changed[0]
        yield "mix", before
        yield "drain", before, len(before.units) - len(after.units)
    for (source, _), (target, _) in permutations(changed, 2):
        yield "pour", source, target


def _guess_scene(world: SceneWorld, next_world: SceneWorld) -> Iterator[_Guess]:
    seen_before = {person[:3] for person in world.objects}
    seen_after = {person[:3] for person in next_world.objects}
    gone = [person for person in world.objects if person[:3] not in seen_after]
    new = [person for person in next_world.objects if person[:3] not in seen_before]
    if len(gone) == 1 and not new:
        yield "leave", gone[0]
    if len(new) == 1 and not gone:
        yield "create", new[0]
    if len(gone) == len(new) == 1:
        yield "move", gone[0], new[0].position
    if len(gone) == len(new) == 2:
        yield from (("swapHats", *pair) for pair in permutations(gone))
    if not gone and not new:
        # Two people with the same hat may swap, and nobody sees it.
        for pair in combinations(world.objects, 2):
            yield from (("swapHats", *both) for both in permutations(pair))


def _guess_tangrams(world: TangramsWorld, next_world: TangramsWorld) -> Iterator[_Guess]:
    before, after = world.shapes, next_world.shapes
    yield from (("remove", piece) for piece in world.objects if piece.shape not in after)
    for piece in next_world.objects:
        if piece.shape not in before:
            yield "add", piece.position, piece
    changed = [piece for piece in world.objects if piece not in next_world.objects]
    if len(changed) == 2:
        yield from (("swap", *pair) for pair in permutations(changed))


_GUESSES: Dict[Type[World], Tuple[Domain, Callable[[Any, Any], Iterator[_Guess]]]] = {
    AlchemyWorld: (ALCHEMY, _guess_alchemy),
    SceneWorld: (SCENE, _guess_scene),
    TangramsWorld: (TANGRAMS, _guess_tangrams),
}
