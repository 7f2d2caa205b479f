"""Texts as rows of a sentence model, run as ONNX: no torch, nothing downloaded."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from querykin.embeddings.base import Embed, Float32Matrix, plain, unit
from querykin.embeddings.model_files import SentenceFiles, in_folder, packaged
from querykin.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH = 16  # texts of one length run together; more are not faster
TOKENS = 512  # tokens run together at most: long texts are as fast alone, and take less memory
LONGEST = 512  # tokens, where neither the folder nor its tokeniser says
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
OUTPUT = "last_hidden_state"
UNKNOWN = {"[UNK]", "<unk>"}


@dataclass(frozen=True)
class SentenceModel:
    """A tokeniser and a network; a text's row is the mean of what the network says of its tokens."""

    tokenizer: "Tokenizer"
    session: Any
    first_token: bool
    width: int = 0
    batch: int = 1

    def __call__(self, texts: Sequence[str]) -> Float32Matrix:
        """One unit row per text; zeros for a text without any token that the model knows."""
        rows = np.zeros((len(texts), self.width), np.float32)
        tokens = [self._tokens(text) for text in texts]
        for group in _groups(tokens, self.batch):
            rows[group] = self.run([tokens[place] for place in group])
        return rows

    def run(self, tokens: Sequence[Sequence[int]]) -> Float32Matrix:
        """The rows of texts of one length in tokens: nothing is padded, so the mask is all ones."""
        ids = np.array(tokens, np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {entry.name: inputs[entry.name] for entry in self.session.get_inputs()}
        said = self.session.run([OUTPUT], wanted)[0]
        return unit(said[:, 0] if self.first_token else said.mean(axis=1))

    def _tokens(self, text: str) -> list[int]:
        """A text's tokens with those that frame it; none where all others are unknown to the model."""
        found = self.tokenizer.encode(plain(text))
        framing = zip(found.tokens, found.special_tokens_mask, strict=True)
        return found.ids if any(not frame and token not in UNKNOWN for token, frame in framing) else []


def load(model: str = "") -> Embed:
    """The sentence model in a folder, or all-MiniLM-L6-v2 (384 numbers a text) if none is named."""
    return _open(Path(model).expanduser().resolve() if model else None)


@lru_cache
def _open(folder: Path | None) -> Embed:
    missing = MissingExtra("a sentence model", "dense")
    # Read at import: onnxruntime from 1.29 on writes to the user's home and reports to its maker by default.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError:
        raise missing from None
    files = in_folder(folder) if folder else packaged(missing)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # the callers' threads use the cores
    options.log_severity_level = 4  # what goes wrong is raised
    try:
        tokenizer = _prepared(Tokenizer.from_file(str(files.tokenizer)), files)
        session = onnxruntime.InferenceSession(
            str(files.network), options, providers=["CPUExecutionProvider"]
        )
        _check(session, files)
        return _probed(SentenceModel(tokenizer, session, files.first_token))
    except InputError:
        raise
    except Exception as error:  # both libraries raise their own, which share no other base
        raise InputError(f"{files.network.parent} holds no usable sentence model: {error}") from error


def _prepared(tokenizer: "Tokenizer", files: SentenceFiles) -> "Tokenizer":
    """The tokeniser set to cut and not to pad; it is never changed again, so threads may share it."""
    tokens = files.tokens or (tokenizer.truncation or {}).get("max_length", LONGEST)
    tokenizer.no_padding()
    tokenizer.enable_truncation(tokens)
    return tokenizer


def _check(session: Any, files: SentenceFiles) -> None:
    """Refuse a network that is no sentence model."""
    inputs = {entry.name for entry in session.get_inputs()}
    outputs = {entry.name for entry in session.get_outputs()}
    if not inputs <= INPUTS or OUTPUT not in outputs:
        raise InputError(
            f"{files.network} is no sentence model: it takes {', '.join(sorted(inputs))} and gives "
            f"{', '.join(sorted(outputs))}; allowed: to take {', '.join(sorted(INPUTS))} and give {OUTPUT}"
        )


def _probed(model: SentenceModel) -> SentenceModel:
    """The model with its width, running texts together only if that changes no bit of their rows.

    Networks that quantise what flows through them ("dynamic" 8 bits) scale by the whole batch: they are run
    text by text. So is any other on a processor whose rounding depends on the size of the batch.
    """
    ids = model.tokenizer.encode("how alike are two short texts, one asked and one offered?").ids
    turned = [ids[turn % len(ids) :] + ids[: turn % len(ids)] for turn in range(BATCH)]
    alone = np.vstack([model.run([tokens]) for tokens in turned])
    together = np.array_equal(model.run(turned), alone)
    return replace(model, width=alone.shape[1], batch=BATCH if together else 1)


def _groups(tokens: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Places of texts with equally many tokens, at most `size` at a time; texts without any are left out."""
    by_length: dict[int, list[int]] = {}
    for place, ids in enumerate(tokens):
        if ids:
            by_length.setdefault(len(ids), []).append(place)
    for length, places in by_length.items():
        step = max(1, min(size, TOKENS // length))
        yield from (places[first : first + step] for first in range(0, len(places), step))
