"""A dialogue with a parser: sentence after sentence, each about the world the last one left."""

from __future__ import annotations

from typing import NamedTuple

from lang2program_tf.language import get_domain
from lang2program_tf.serving.answers import ParseAnswer, ParseRequest
from lang2program_tf.serving.client import Client


class Turn(NamedTuple):
    """What became of a sentence.

    Attributes:
        request: the sentences that were read together, this one last, and the world before them.
        answer: of the parser.
        before: the world in which the sentence was said.
        forgot: whether earlier sentences were left out, as there were too many.
    """

    request: ParseRequest
    answer: ParseAnswer
    before: str
    forgot: bool

    @property
    def world(self) -> str:
        """The world after the sentence; as it was if there is no program."""
        return self.answer.worlds[-1] if self.answer.worlds else self.before


class _State(NamedTuple):
    request: ParseRequest
    present: str


class Conversation:
    """Keeps what was said, and takes it back."""

    def __init__(self, client: Client, world: str) -> None:
        """Begins.

        Args:
            client: the parser.
            world: the first world.

        Raises:
            WorldError: the world is not in the notation of the parser's domain.
        """
        self._client = client
        self._domain = get_domain(client.metadata().domain)
        self._states = [self._fresh(world)]

    @property
    def world(self) -> str:
        """The world as it is now."""
        return self._states[-1].present

    def say(self, sentence: str) -> Turn:
        """Says a sentence; one without a program is not remembered."""
        request, present = self._states[-1]
        forgot = request.num_utterances >= self._client.metadata().settings["max_utterances"]
        if forgot:
            request = ParseRequest(present, ())
        request = request._replace(utterances=(*request.utterances, sentence))
        answer = self._client.parse(request.world, request.utterances)
        turn = Turn(request, answer, present, forgot)
        if answer.best:
            self._states.append(_State(request, turn.world))
        return turn

    def change(self, world: str) -> None:
        """Goes on with another world; what was said is forgotten.

        Raises:
            WorldError: the world is not in the notation of the domain.
        """
        self._states.append(self._fresh(world))

    def undo(self) -> bool:
        """Takes the last sentence or change back; whether there was one."""
        if len(self._states) == 1:
            return False
        self._states.pop()
        return True

    def _fresh(self, world: str) -> _State:
        text = str(self._domain.parse_world(world))
        return _State(ParseRequest(text, ()), text)
