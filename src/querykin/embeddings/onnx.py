"""Sentence models in ONNX format, run by onnxruntime: no torch, no downloads."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.embeddings.base import UNKNOWN, EmbeddingModel, Float32Matrix, plain, unit, whole_words
from querykin.embeddings.model_files import SentenceFiles, in_folder, packaged
from querykin.embeddings.shared_batches import SharedBatches
from querykin.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH = 16  # texts of equal length per run; more are not faster
MAX_BATCH_TOKENS = 512  # long texts are as fast alone, and take less memory
MAX_TOKENS = 512  # of a text, if neither the folder nor its tokenizer says
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
OUTPUT = "last_hidden_state"


@dataclass(frozen=True)
class SentenceModel:
    """A tokenizer and a network; the vector of a text is the pooled output for its tokens."""

    tokenizer: "Tokenizer"
    session: Any
    first_token: bool
    identity: str = ""
    shared: SharedBatches = field(default_factory=SharedBatches, init=False, repr=False, compare=False)

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit vector per text; zero for a text without known tokens."""
        rows = np.zeros((len(texts), self.width), np.float32)
        tokens = [self._tokens(text) for text in texts]
        size = self.batch if len(texts) > 1 else 1
        for batch in _batches(tokens, size):
            rows[batch] = self.shared.run(self.run, [tokens[row] for row in batch], self._bound)
        return rows

    def _bound(self, length: int) -> int:
        """How many texts of this length are run at once."""
        return _batch_size(length, self.batch)

    @cached_property
    def width(self) -> int:
        """The number of dimensions."""
        return int(self.run([self._example]).shape[1])

    @cached_property
    def batch(self) -> int:
        """How many texts are run at once: several only if that leaves every bit of the vectors unchanged.

        Networks with dynamic 8-bit quantization scale activations by the whole batch, and on some processors
        rounding depends on the batch size: such models are run one text at a time.
        """
        ids = self._example
        rotated = [ids[shift % len(ids) :] + ids[: shift % len(ids)] for shift in range(BATCH)]
        one_by_one = np.vstack([self.run([tokens]) for tokens in rotated])
        return BATCH if np.array_equal(self.run(rotated), one_by_one) else 1

    @property
    def _example(self) -> list[int]:
        text = "how alike are two short texts, one asked and one offered?"
        return list(self.tokenizer.encode(text).ids)

    def run(self, tokens: Sequence[Sequence[int]]) -> Float32Matrix:
        """The vectors of texts of equal length in tokens: without padding the mask is all ones."""
        ids = np.array(tokens, np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        taken = {entry.name: inputs[entry.name] for entry in self.session.get_inputs()}
        states = self.session.run([OUTPUT], taken)[0]
        return unit(states[:, 0] if self.first_token else states.mean(axis=1))

    def whole_words(self, texts: Sequence[str]) -> Float64Array:
        """The share of each text's words that are one word piece each."""
        return whole_words(texts, self._is_whole)

    def _is_whole(self, word: str) -> bool:
        pieces = self.tokenizer.encode(word, add_special_tokens=False).tokens
        return len(pieces) == 1 and pieces[0] not in UNKNOWN

    def _tokens(self, text: str) -> list[int]:
        """Token ids with the special tokens; none if all other tokens are unknown."""
        encoding = self.tokenizer.encode(plain(text))
        tokens = zip(encoding.tokens, encoding.special_tokens_mask, strict=True)
        known = any(not special and token not in UNKNOWN for token, special in tokens)
        return encoding.ids if known else []


def load(model: str = "") -> EmbeddingModel:
    """The sentence model in a folder, or all-MiniLM-L6-v2 (384 dimensions) by default."""
    return _open(Path(model).expanduser().resolve() if model else None)


@lru_cache
def _open(folder: Path | None) -> EmbeddingModel:
    missing = MissingExtra("a sentence model", "dense")
    # Read at import: from 1.29 on, onnxruntime writes to the home directory and sends telemetry by default.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise missing from None
    files = in_folder(folder) if folder else packaged(missing)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # callers run several threads
    options.log_severity_level = 4  # errors are raised
    try:
        tokenizer = _with_truncation(Tokenizer.from_file(str(files.tokenizer)), files)
        session = onnxruntime.InferenceSession(
            str(files.network), options, providers=["CPUExecutionProvider"]
        )
        _check(session, files)
        model = SentenceModel(tokenizer, session, files.first_token, files.identity)
        model.width  # noqa: B018  # run once: errors are found here
        return model
    except InputError:
        raise
    except Exception as error:  # the errors of the two libraries have no other common base
        raise InputError(f"{files.network.parent} holds no usable sentence model: {error}") from error


def _with_truncation(tokenizer: "Tokenizer", files: SentenceFiles) -> "Tokenizer":
    """The tokenizer set to truncate and not to pad; it is not changed later, so threads may share it."""
    max_tokens = files.max_tokens or (tokenizer.truncation or {}).get("max_length", MAX_TOKENS)
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def _check(session: Any, files: SentenceFiles) -> None:
    """Raise if a network is not a sentence model."""
    inputs = {entry.name for entry in session.get_inputs()}
    outputs = {entry.name for entry in session.get_outputs()}
    if not inputs <= INPUTS or OUTPUT not in outputs:
        raise InputError(
            f"{files.network} is not a sentence model: it takes {', '.join(sorted(inputs))} and gives "
            f"{', '.join(sorted(outputs))}; allowed: to take {', '.join(sorted(INPUTS))} and give {OUTPUT}"
        )


def _batch_size(length: int, size: int) -> int:
    return max(1, min(size, MAX_BATCH_TOKENS // length))


def _batches(tokens: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Rows of texts with equal numbers of tokens, at most `size` each; texts without tokens are left out."""
    by_length: dict[int, list[int]] = {}
    for row, ids in enumerate(tokens):
        if ids:
            by_length.setdefault(len(ids), []).append(row)
    for length, rows in by_length.items():
        step = _batch_size(length, size)
        yield from (rows[begin : begin + step] for begin in range(0, len(rows), step))
