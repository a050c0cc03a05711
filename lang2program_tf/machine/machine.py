"""The stack machine on tensors: which tokens may follow, and the states after chosen ones."""

from __future__ import annotations

import tensorflow as tf

from lang2program_tf.language import MAX_STACK
from lang2program_tf.machine.examples import Examples
from lang2program_tf.machine.follow import Following, follow, list_orders, world_after
from lang2program_tf.machine.rules import Rules
from lang2program_tf.machine.state import MachineState, Options
from lang2program_tf.machine.tables import token_tables
from lang2program_tf.machine.trial import try_tokens


class Machine:
    """Runs programs of one domain on batches of states in the graph.

    Every method works eagerly and in a `tf.function`.

    Attributes:
        rules: the domain's worlds and actions.
        num_actions: C, the tokens that perform an action: the domain's own and prevAction.
        action_tokens: [C] their token ids.
        stack_slots: S, how many stack values a state holds. A search never keeps a prefix with more
            than three; more slots follow walks that a search would have pruned.
    """

    def __init__(self, rules: Rules, *, stack_slots: int = MAX_STACK) -> None:
        if stack_slots < MAX_STACK:
            raise ValueError(f"stack_slots={stack_slots} is less than {MAX_STACK}")
        self.rules = rules
        self.stack_slots = stack_slots
        self._tables = token_tables(rules.domain.tokens)
        self._orders = list_orders(rules.num_positions)
        self.action_tokens = self._tables.action_tokens
        self.num_actions = len(self.action_tokens)

    def initial_state(self, examples: Examples, *, num_prefixes: int | tf.Tensor) -> MachineState:
        """The state before the first token, leading axes [B, num_prefixes]."""

        def repeat(part: tf.Tensor) -> tf.Tensor:
            return tf.repeat(part[:, tf.newaxis], num_prefixes, axis=1)

        batch, slots = tf.shape(examples.world)[0], self.stack_slots
        positions = self.rules.num_positions
        return MachineState(
            world=repeat(examples.world),
            kinds=tf.zeros([batch, num_prefixes, slots], tf.int32),
            values=tf.zeros([batch, num_prefixes, slots, positions], tf.int32),
            history=repeat(examples.history),
            utterance=repeat(examples.num_commands),
            next_identity=repeat(examples.next_identity),
        )

    def options(self, state: MachineState, num_utterances: tf.Tensor) -> Options:
        """Tries every token from every state.

        Args:
            state: live prefixes, leading axes [B, K].
            num_utterances: [B, K] (or broadcastable) number of utterances of each example.
        """
        return try_tokens(self.rules, self._tables, state, num_utterances)

    def follow(
        self, state: MachineState, options: Options, parent: tf.Tensor, token: tf.Tensor
    ) -> Following:
        """Runs one token for each of J chosen continuations of K prefixes of B examples.

        Args:
            state: the prefixes, leading axes [B, K].
            options: their options.
            parent: [B, J] which of the K prefixes each continuation extends.
            token: [B, J] the token ids; tokens that cannot run give a meaningless state.
        """
        return follow(self.rules, self._tables, self._orders, state, options, parent, token)

    def world_after(self, world: tf.Tensor, command: tf.Tensor) -> tf.Tensor:
        """[..., P] encoded worlds after commands [..., 3] that were allowed in them."""
        return world_after(self.rules, world, command)

    def same_world(self, world: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """[...] whether encoded worlds [..., P] look the same."""
        return tf.reduce_all(
            tf.equal(self.rules.visible(world), self.rules.visible(target)), axis=-1
        )
