"""What tests of sparse-prob and dense-prob share: their slow twin and texts to ask about."""

from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from querykin import Document, Settings
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from reference.corpus import PlainCorpus
from reference.language_model import PlainLanguageModel
from reference.tokenizer import words
from topics import DOCUMENTS, WORDS

NAMES = ["sparse-prob", "dense-prob"]
PLAIN = PlainCorpus(DOCUMENTS)
asked = st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring"]), max_size=5).map(" ".join)
TWO = [Document("red", "Red", "red apple"), Document("blue", "Blue", "blue sky")]
GENTLE = Settings(measures={name: {"mu_c": 6.0} for name in NAMES})


@cache
def plain(measure, candidates: tuple[str, ...] = (), corpus: PlainCorpus = PLAIN) -> PlainLanguageModel:
    """The twin of a measure with its parameters."""
    common = PlainLanguageModel(corpus, measure.results, mu_c=measure.mu_c, candidates=candidates)
    if measure.name == "sparse-prob":
        return common
    named = {"english": ENGLISH_STOP_WORDS, "none": frozenset()}
    stop_words = named.get(measure.stop_words, frozenset(words(measure.stop_words)))
    return replace(common, terms=measure.terms, mu_q=measure.mu_q, stop_words=stop_words)
