"""Helpers of the tests of sparse-prob and dense-prob: the reference and random queries."""

from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from querykin import Document, Settings
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from reference.corpus import ReferenceCorpus
from reference.language_model import ReferenceLanguageModel
from reference.tokenizer import words
from topics import DOCUMENTS, WORDS

NAMES = ["sparse-prob", "dense-prob"]
REFERENCE = ReferenceCorpus(DOCUMENTS)
query_texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "exploring"]), max_size=5).map(" ".join)
TWO = [Document("red", "Red", "red apple"), Document("blue", "Blue", "blue sky")]
GENTLE = Settings(measures={name: {"mu_c": 6.0} for name in NAMES})


@cache
def reference_model(
    measure, candidates: tuple[str, ...] = (), corpus: ReferenceCorpus = REFERENCE
) -> ReferenceLanguageModel:
    """The reference with the parameters of a measure."""
    common = ReferenceLanguageModel(corpus, measure.results, mu_c=measure.mu_c, candidates=candidates)
    if measure.name == "sparse-prob":
        return common
    named = {"language": ENGLISH_STOP_WORDS, "english": ENGLISH_STOP_WORDS, "none": frozenset()}
    stop_words = named.get(measure.stop_words, frozenset(words(measure.stop_words)))
    return replace(common, terms=measure.terms, mu_q=measure.mu_q, stop_words=stop_words)
