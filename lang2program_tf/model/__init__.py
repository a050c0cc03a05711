"""The network: utterance encoder, execution history, attention decoder, and the parser of them."""

from lang2program_tf.model.decoder import AttentionDecoder, DecoderMemory, DecoderScores
from lang2program_tf.model.encoder import EncodedUtterances, UtteranceEncoder
from lang2program_tf.model.features import (
    HISTORY_TOKENS,
    MAX_OBJECTS,
    STACK_SLOTS,
    HistoryFeatures,
    StackFeatures,
    stack_features,
    tokens_features,
)
from lang2program_tf.model.history import StackHistory, TokensHistory
from lang2program_tf.model.parser import HistoryTables, Parser, ParserMemory

__all__ = [
    "HISTORY_TOKENS",
    "MAX_OBJECTS",
    "STACK_SLOTS",
    "AttentionDecoder",
    "DecoderMemory",
    "DecoderScores",
    "EncodedUtterances",
    "HistoryFeatures",
    "HistoryTables",
    "Parser",
    "ParserMemory",
    "StackFeatures",
    "StackHistory",
    "TokensHistory",
    "UtteranceEncoder",
    "stack_features",
    "tokens_features",
]
