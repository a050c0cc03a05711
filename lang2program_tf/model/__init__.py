"""The network: utterance encoder, execution history, attention decoder, and the parser of them."""

from lang2program_tf.model.decoder import AttentionDecoder, DecoderMemory, DecoderScores
from lang2program_tf.model.encoder import EncodedUtterances, UtteranceEncoder
from lang2program_tf.model.history import StackHistory, TokensHistory
from lang2program_tf.model.parser import HistoryTables, Parser, ParserMemory
from lang2program_tf.model.parser_protocol import MemoryProtocol, ParserProtocol

__all__ = [
    "AttentionDecoder",
    "DecoderMemory",
    "DecoderScores",
    "EncodedUtterances",
    "HistoryTables",
    "MemoryProtocol",
    "Parser",
    "ParserMemory",
    "ParserProtocol",
    "StackHistory",
    "TokensHistory",
    "UtteranceEncoder",
]
