"""Stems of tokens as features: the hash of each token's Porter stem, remembered from call to call."""

from collections.abc import Sequence

import numpy as np

from querykin.compute.arrays import Int64Array
from querykin.text.stemming import stems
from querykin.text.tokenizer import Tokens, tokenize

_CACHE_SIZE = 1 << 20  # words; about 100 MB
_cache: dict[int, int] = {}


def stem_tokens(words: Sequence[str]) -> Tokens:
    """The stems of words, one token each; a word whose stem is not a single token is its own stem."""
    stemmed = stems(words)
    tokens = tokenize(stemmed)
    if len(tokens.begin) != len(words):
        single = [
            stem if len(tokenize([stem]).begin) == 1 else word
            for stem, word in zip(stemmed, words, strict=True)
        ]
        tokens = tokenize(single)
    return tokens


def stem_hashes(tokens: Tokens) -> Int64Array:
    """The hash of every token's stem; equal for equal stems in every corpus and without one."""
    distinct, indices, inverse = np.unique(tokens.hashes, return_index=True, return_inverse=True)
    keys = distinct.tolist()
    known = {key: _cache[key] for key in keys if key in _cache}
    missing = [number for number, key in enumerate(keys) if key not in known]
    if missing:
        hashes = stem_tokens([tokens.word(int(indices[number])) for number in missing]).hashes.tolist()
        new = dict(zip((keys[number] for number in missing), hashes, strict=True))
        known |= new
        if len(_cache) + len(new) > _CACHE_SIZE:
            _cache.clear()
        _cache.update(new)
    return np.array([known[key] for key in keys], np.int64)[inverse]
