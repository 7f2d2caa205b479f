"""The sizes in which documents are added: of splits of the input, and of segments."""

from dataclasses import dataclass

from querykin.io.split_size import SPLIT_BYTES

MAX_SEGMENT_TOKENS = 1 << 27  # about 1.5 GB on disk, and two minutes of one CPU


@dataclass(frozen=True)
class CorpusLimits:
    """The largest splits and segments. They decide word ids and segments: another value, another corpus."""

    split_bytes: int = SPLIT_BYTES
    segment_tokens: int = MAX_SEGMENT_TOKENS
