"""Deduplication of a keyword table, with what a corpus knows of its words and languages."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from querykin.clustering.variants.deduplicated_keywords import DeduplicatedKeywords
from querykin.clustering.variants.deduplication import deduplicate
from querykin.compute.arrays import BoolArray
from querykin.corpus.corpus import Corpus
from querykin.io.keyword_tables import KeywordTable
from querykin.io.python_objects import as_queries
from querykin.querylog.repository import Repository
from querykin.spelling.lexicon import Lexicon
from querykin.text.analyzer import Analyzer
from querykin.text.language_recognition import recognize
from querykin.text.languages import parse_languages

# In a large corpus a word needs more than one document to be no misspelling: one for so many documents.
_DOCUMENTS_PER_ERROR = 50_000


def keyword_table(keywords: Any) -> KeywordTable:
    """Keywords from a repository or from Python objects as a table."""
    if isinstance(keywords, KeywordTable):
        return keywords
    if isinstance(keywords, Repository):
        listed = list(keywords.by_count())
        return KeywordTable.of([each.query for each in listed], [each.count for each in listed])
    rows = list(as_queries(keywords))
    return KeywordTable.of([query for query, _ in rows], [count for _, count in rows])


def dedupe_keywords(
    table: KeywordTable, corpus: Corpus, repository: Repository, language: str = ""
) -> DeduplicatedKeywords:
    """Find the variants in a table; the language is the one given, that of the corpus, or recognized."""
    lexicon = Lexicon(corpus, repository)
    analyzer = _analyzer(table.queries, corpus, language)

    def in_documents(words: Sequence[str]) -> BoolArray:
        needed = ceil(len(corpus) / _DOCUMENTS_PER_ERROR)
        found: BoolArray = lexicon.document_frequencies(words) >= max(1, needed)
        return found

    found = deduplicate(table.queries, table.counts, analyzer, in_documents if len(corpus) else None)
    return DeduplicatedKeywords(table, found, analyzer.languages)


def _analyzer(queries: Sequence[str], corpus: Corpus, language: str) -> Analyzer:
    if language:
        languages = parse_languages(language)
    elif len(corpus):
        return corpus.analyzer
    else:
        languages = recognize(queries).languages
    return Analyzer.of(*(each.code for each in languages))
