"""The infix view: `yellow hasHat leave` is `leave(hasHat(yellow))`, commands end in `; `.

A function stands before its arguments, and its arguments are as many values as it pops. Of a
program that lacks values, or has too many, every token is shown all the same: a function prints
with the arguments it has (`hasHat()`), and values that nobody pops stand beside each other
(`3, leave(hasHat(yellow))`). So each sequence of tokens has one infix text, and reading that text
gives the sequence back.
"""

from __future__ import annotations

import re
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from lang2program_tf.language.domain import Domain
from lang2program_tf.language.errors import ProgramError
from lang2program_tf.language.tokens import Kind, Token

_ENDS_COMMAND = (Kind.ACTION, Kind.PREV_ACTION)
_LEXEME = re.compile(r"[(),;]|[^\s(),;]+")
_BRACKETS_AND_COMMAS = frozenset("(),")


class InfixCommand(NamedTuple):
    """One command of a program; only the last one of a program may lack its action.

    Attributes:
        tokens: the tokens, in postfix order.
        infix: the same as a text.
    """

    tokens: Tuple[Token, ...]
    infix: str


class _Term(NamedTuple):
    token: Token
    arguments: Tuple[_Term, ...]


def to_infix(
    domain: Domain, tokens: Iterable[Union[Token, str]], *, original_names: bool = False
) -> str:
    """The program as a text, with the paper's names of tokens or the original's."""
    commands = infix_commands(domain, tokens, original_names=original_names)
    return "; ".join(command.infix for command in commands)


def infix_commands(
    domain: Domain, tokens: Iterable[Union[Token, str]], *, original_names: bool = False
) -> Tuple[InfixCommand, ...]:
    """The commands of a program, each as tokens and as a text."""
    commands: List[InfixCommand] = []
    actions: List[Optional[Token]] = []  # what each command performs, if the text alone tells
    pending: List[Token] = []
    terms: List[_Term] = []  # the stack of the current command, as far as it can be seen

    def close_command() -> None:
        text = ", ".join(_print(term, original_names) for term in terms)
        commands.append(InfixCommand(tuple(pending), text))
        pending.clear()
        terms.clear()

    for item in tokens:
        token = item if isinstance(item, Token) else domain.token(item)
        action: Optional[Token] = token
        wanted = token.arity
        if token.kind is Kind.PREV_ACTION:
            action = _repeated_action(terms, actions)
            wanted = len(terms) if action is None else token.arity + action.arity
        split = max(0, len(terms) - wanted)
        terms[split:] = [_Term(token, tuple(terms[split:]))]
        pending.append(token)
        if token.kind in _ENDS_COMMAND:
            actions.append(action)
            close_command()
    if pending:
        close_command()
    return tuple(commands)


def _repeated_action(terms: Sequence[_Term], actions: Sequence[Optional[Token]]) -> Optional[Token]:
    """The action that a prevAction after `terms` performs, if that can be told without running."""
    if not terms or terms[-1].token.kind is not Kind.NUMBER:
        return None
    number = int(terms[-1].token.value or 0)
    if not -len(actions) <= number <= len(actions):
        return None
    return actions[number - 1 if number > 0 else number]


def _print(term: _Term, original_names: bool) -> str:
    # Not recursive: a program may nest deeper than Python's call stack.
    pieces: List[str] = []
    todo: List[Union[_Term, str]] = [term]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        pieces.append(item.token.original if original_names else item.token.name)
        if item.token.arity:
            pieces.append("(")
            todo.append(")")
            for place, argument in reversed(list(enumerate(item.arguments))):
                todo.append(argument)
                if place:
                    todo.append(", ")
    return "".join(pieces)


class _Lexeme(NamedTuple):
    text: str  # empty at the end of the program
    column: int  # from 1

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end"


def parse_program(domain: Domain, text: str) -> Tuple[Token, ...]:
    """Reads a program, postfix or infix, with the paper's or the original's names of tokens.

    A `;` may follow an action. A text between two `;` without brackets and commas is postfix. In
    infix a function may lack arguments, with brackets or without; it pops what stands before it.
    """
    if not isinstance(text, str):
        raise ProgramError(f"a program is a text, not {type(text).__name__}")
    lexemes = [_Lexeme(match.group(), match.start() + 1) for match in _LEXEME.finditer(text)]
    if not lexemes:
        return ()
    program: List[Token] = []
    command: List[_Lexeme] = []
    for lexeme in (*lexemes, _Lexeme("", len(text) + 1)):
        command.append(lexeme)
        if lexeme.text in (";", ""):
            if any(part.text in _BRACKETS_AND_COMMAS for part in command):
                program += _InfixReader(domain, command).read()
            else:
                program += _read_postfix(domain, command)
            if lexeme.text and program[-1].kind not in _ENDS_COMMAND:
                raise _unexpected(lexeme, "an action to end the command")
            command = []
    return tuple(program)


def _read_postfix(domain: Domain, lexemes: Sequence[_Lexeme]) -> List[Token]:
    """The tokens of a command; the last lexeme is the `;` or the end after it."""
    words = lexemes[:-1] or lexemes  # an empty command: its end stands where a token should
    return [_token(domain, word) for word in words]


def _token(domain: Domain, lexeme: _Lexeme) -> Token:
    if lexeme.text in ("(", ")", ",", ";", ""):
        raise _unexpected(lexeme, "a token")
    try:
        return domain.token(lexeme.text)
    except ProgramError as error:
        raise _error(lexeme, str(error)) from None


def _unexpected(lexeme: _Lexeme, expected: str) -> ProgramError:
    return _error(lexeme, f"expected {expected}, found {lexeme}")


def _error(lexeme: _Lexeme, message: str) -> ProgramError:
    return ProgramError(f"column {lexeme.column} of the program: {message}")


class _OpenFunction(NamedTuple):
    token: Token
    lexeme: _Lexeme
    num_arguments: int


class _InfixReader:
    """Reads one infix command; keeps its own stack, so that no nesting is too deep."""

    def __init__(self, domain: Domain, lexemes: Sequence[_Lexeme]) -> None:
        """`lexemes` end with the `;` or the end after the command."""
        self._domain = domain
        self._lexemes = lexemes
        self._cursor = 0
        self._open: List[_OpenFunction] = []
        self._postfix: List[Token] = []

    def read(self) -> List[Token]:
        """The tokens in postfix order."""
        more = True
        while more:
            if self._begin_term():
                more = self._end_terms()
        return self._postfix

    @property
    def _next(self) -> _Lexeme:
        return self._lexemes[self._cursor]

    def _accept(self, text: str) -> bool:
        if self._next.text != text:
            return False
        self._cursor += 1
        return True

    def _begin_term(self) -> bool:
        """Reads a token and perhaps its bracket; false if its first argument follows."""
        lexeme = self._next
        token = _token(self._domain, lexeme)
        self._check_place(token, lexeme)
        self._cursor += 1
        if not self._accept("("):
            self._postfix.append(token)
            return True
        if not token.arity:
            raise _unexpected(self._lexemes[self._cursor - 1], f"no bracket after {lexeme.text}")
        self._open.append(_OpenFunction(token, lexeme, 0))
        return self._next.text == ")"

    def _check_place(self, token: Token, lexeme: _Lexeme) -> None:
        """Brackets must not show as an argument what the function would not pop."""
        if not self._open:
            return
        if token.kind in _ENDS_COMMAND:
            raise _unexpected(lexeme, "a value as argument, not an action")
        function = self._open[-1]
        is_full = function.num_arguments == function.token.arity
        if is_full and function.token.kind is not Kind.PREV_ACTION:
            name = function.lexeme.text
            raise _unexpected(lexeme, f"')', as {name} takes no more than {function.token.arity}")
        self._open[-1] = function._replace(num_arguments=function.num_arguments + 1)

    def _end_terms(self) -> bool:
        """Reads closing brackets and what follows; false at the end of the command."""
        while self._open and self._accept(")"):
            self._postfix.append(self._open.pop().token)
        if self._open:
            if self._accept(","):
                return True
            name, column = self._open[-1].lexeme
            raise _unexpected(self._next, f"',' or ')' for {name} of column {column}")
        if self._cursor == len(self._lexemes) - 1:
            return False
        if self._postfix[-1].kind in _ENDS_COMMAND:
            raise _unexpected(self._next, "';' or the end after an action")
        if self._accept(","):
            return True
        raise _unexpected(self._next, "',', ';' or the end")
