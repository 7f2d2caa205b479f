"""The languages of a corpus: chosen with its first documents, and never changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from querykin.errors import WorkspaceError
from querykin.text.analyzer import DEFAULT, Analyzer
from querykin.text.language_recognition import SAMPLE
from querykin.text.languages import Language, language_names
from querykin.types import Document

_CHARACTERS = 1 << 21  # of the first documents: bounds memory


def new_analyzer(languages: Sequence[Language]) -> Analyzer:
    """The analyzer of a corpus without documents."""
    return Analyzer.of(*(language.code for language in languages)) if languages else DEFAULT


def recorded_analyzer(metadata: Mapping[str, Any], given: tuple[Language, ...], path: Path) -> Analyzer:
    """The analyzer of a corpus with documents; other languages than its own are refused."""
    analyzer = Analyzer.of(*metadata.get("languages", ()))
    if given and set(given) != set(analyzer.languages):
        raise WorkspaceError(
            f"the corpus in {path} is in {language_names(analyzer.languages)} and keeps its language; got "
            f"{language_names(given)}; next: add the documents to a new workspace, with "
            f"--workspace NEW --language {','.join(language.code for language in given)}"
        )
    return analyzer


def first_documents(
    splits: Iterable[Iterable[Document]], count: int = SAMPLE
) -> tuple[list[Document], Iterator[Iterable[Document]]]:
    """The documents from which a language is recognized, and the documents of all splits."""
    remaining, begun = iter(splits), list[Iterable[Document]]()
    first, size = list[Document](), 0
    for split in remaining:
        documents, own = iter(split), list[Document]()
        begun.append(chain(own, documents))
        for document in documents:
            own.append(document)
            size += len(document.title) + len(document.text)
            if len(first) + len(own) == count or size >= _CHARACTERS:
                return [*first, *own], chain(begun, remaining)
        first += own
    return first, iter(begun)
