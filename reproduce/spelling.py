"""Spelling correction: typing errors of past queries and of `uqv100`, and words that are right but unknown.

`python -m reproduce.spelling`. Other constants are compared on half of the past queries and of the titles, the chosen
ones are reported on the other half; errors are made up with a seed. The constants were first chosen on samples of both halves, so
the second is no clean test; `uqv100` had no part in the choice.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

import numpy as np

from querykin import Workspace
from querykin.io.documents import read_documents
from querykin.io.query_files import read_queries
from querykin.measures.batch_scorer import BatchScorer
from querykin.spelling import SpellingCorrector
from querykin.spelling.lexicon import Lexicon
from querykin.spelling.noisy_channel import NoisyChannel
from querykin.text.tokenizer import tokenize, words
from reproduce import data
from reproduce.data import list_file
from reproduce.judged_sets import auc, read_set
from reproduce.markdown import number, table
from reproduce.typing_errors import LETTERS, SPACES, misspelt

KINDS = (*LETTERS, *SPACES)
ERRORS = 60  # of each kind, in each half
NAMES = 300  # words of titles, in each half
PAIRS = 1500  # of uqv100
SMALL = (100, 1000, 10_000)  # documents
ORDINARY = 30  # documents of the large corpus that have a word which a small one lacks
SETTINGS = {
    "as chosen": NoisyChannel(),
    "edit 5": NoisyChannel(edit=5.0),
    "edit 7": NoisyChannel(edit=7.0),
    "letter .8": NoisyChannel(letter=0.8),
    "letter 1.2": NoisyChannel(letter=1.2),
    "new word -1": NoisyChannel(new_word=-1.0),
    "new word -3": NoisyChannel(new_word=-3.0),
    "probability .5": NoisyChannel(min_probability=0.5),
    "probability .9": NoisyChannel(min_probability=0.9),
}


@dataclass(frozen=True)
class Half:
    """Queries with one error each, by kind, as typed and as meant; and words of titles without evidence."""

    errors: dict[str, list[tuple[str, str]]]
    names: list[str]

    @classmethod
    def of(cls, queries: Sequence[str], titles: Sequence[str], lexicon: Lexicon, rng: Random) -> "Half":
        """Errors in queries whose words all have evidence, a kind after the other."""
        remaining = iter(queries)
        errors = {
            kind: list(
                islice(
                    (
                        (typed, query)
                        for query in remaining
                        if (typed := misspelt(query, kind, lexicon, rng)) is not None
                    ),
                    ERRORS,
                )
            )
            for kind in KINDS
        }
        distinct = list(dict.fromkeys(word for title in titles for word in words(title) if word.isalpha()))
        unknown = lexicon.document_frequencies(distinct) == 0
        return cls(errors, [word for word, new in zip(distinct, unknown, strict=True) if new][:NAMES])


def _shares(
    workspace: Workspace, spelling: SpellingCorrector, errors: Sequence[tuple[str, str]]
) -> tuple[float, float]:
    """The share of queries that were corrected to what was meant, up to the form of a word; and to anything else."""
    vocabulary = workspace.corpus.vocabulary

    def stems(text: str) -> list[int]:
        found: list[int] = vocabulary.lookup_stems(tokenize([text]))[1].tolist()
        return found

    found = [(spelling.correct(typed), meant) for typed, meant in errors]
    right = sum(stems(each.text) == stems(meant) for each, meant in found if each)
    corrected = sum(each is not None for each, _ in found)
    return right / max(1, len(errors)), (corrected - right) / max(1, len(errors))


def _changed(spelling: SpellingCorrector, texts: Sequence[str]) -> float:
    """The share of texts that were changed."""
    return sum(spelling.correct(text) is not None for text in texts) / max(1, len(texts))


def _corrector(workspace: Workspace, channel: NoisyChannel | None = None) -> SpellingCorrector:
    return SpellingCorrector(
        workspace.corpus, workspace.repository, lambda: workspace.expander, channel=channel
    )


def _lines(name: str) -> list[str]:
    """A list of queries in random order."""
    found = [query for query, _, _ in read_queries(str(list_file(name)), print)]
    Random(0).shuffle(found)
    return found


def report(encyclopedia: Workspace) -> str:
    """The report as Markdown."""
    workspace = encyclopedia.beside(data.cache_folder() / "spelling")
    queries, titles = _lines("trec-web-queries"), _lines("wikipedia-titles")
    if not len(workspace.repository):
        workspace.repository.add((query, 1) for query in queries)
    lexicon = Lexicon(workspace.corpus, workspace.repository)
    halves = [
        Half.of(queries[half::2], titles[half : 40_000 + half : 2], lexicon, Random(half)) for half in (0, 1)
    ]
    spelling = _corrector(workspace)
    spelling.correct("a wrod")  # maps the vocabulary, counts the words of past queries
    return "\n\n".join(
        [
            f"Corpus as above, {int((workspace.corpus.statistics.df > 0).sum()):,} words; past queries: {len(workspace.repository):,} of the TREC web tracks.",
            "### Constants, on the first half",
            _settings(workspace, halves[0]),
            "### Errors in past queries, second half",
            _by_kind(workspace, spelling, halves[1]),
            "### Words that are right",
            _right_words(workspace, spelling, halves[1], queries),
            "### uqv100",
            _uqv100(workspace, spelling, lexicon),
            "### Time",
            _time(spelling, halves[1]),
        ]
    )


def _settings(workspace: Workspace, half: Half) -> str:
    errors = [each for kind in KINDS for each in half.errors[kind][::2]]
    rows = []
    for name, channel in SETTINGS.items():
        spelling = _corrector(workspace, channel)
        shares = _shares(workspace, spelling, errors)
        names = _changed(spelling, half.names[::2])
        rows.append([name, *map(number, (*shares, names))])
    return table(["setting", "right", "wrong", "names changed"], rows)


def _by_kind(workspace: Workspace, spelling: SpellingCorrector, half: Half) -> str:
    rows = []
    for kind, errors in half.errors.items():
        corrected = [found.text if (found := spelling.correct(typed)) else typed for typed, _ in errors]
        covered = [
            float(workspace.expander.search(texts)[2].mean())
            for texts in ([meant for _, meant in errors], [typed for typed, _ in errors], corrected)
        ]
        shares = _shares(workspace, spelling, errors)
        rows.append([kind, str(len(errors)), *map(number, (*shares, 1 - sum(shares), *covered))])
    header = ["error", "queries", "right", "wrong", "left", "covered: meant", "as typed", "corrected"]
    return table(header, rows)


def _right_words(workspace: Workspace, spelling: SpellingCorrector, half: Half, queries: list[str]) -> str:
    """Words that are right and without evidence: names, and ordinary words that a small corpus lacks."""
    known = [query for query in queries[:3000] if (_frequencies(workspace, query) > 0).all()]
    rows = [
        ["past queries whose words all have evidence", str(len(known)), number(_changed(spelling, known))],
        ["words of titles without evidence", str(len(half.names)), number(_changed(spelling, half.names))],
    ]
    ordinary = list(
        dict.fromkeys(
            word
            for query in queries[:20_000]
            for word, documents in zip(words(query), _frequencies(workspace, query), strict=True)
            if word.isalpha() and len(word) > 3 and documents >= ORDINARY
        )
    )
    documents = list(islice(read_documents([data.corpus_file("simplewiki")], print), 0, None, 7))
    Random(0).shuffle(documents)
    for size in SMALL:
        small = Workspace.open(data.cache_folder() / f"spelling-{size}")
        if not len(small.corpus):
            small.corpus.add(documents[:size])
            small = small.reopen()
        lexicon, rng = Lexicon(small.corpus, small.repository), Random(size)
        has = lexicon.document_frequencies(ordinary) > 0
        lacking = [word for word, found in zip(ordinary, has, strict=True) if not found][:NAMES]
        errors = [
            (typed, word)
            for word, found in zip(ordinary, has, strict=True)
            if found and (typed := misspelt(word, rng.choice(list(LETTERS)), lexicon, rng))
        ][:NAMES]
        right, wrong = _shares(small, _corrector(small), errors)
        rows.append(
            [
                f"ordinary words that a corpus of {size:,} documents lacks ({number(right)} of errors in words it has "
                f"are corrected, {number(wrong)} wrongly)",
                str(len(lacking)),
                number(_changed(_corrector(small), lacking)),
            ]
        )
    return table(["texts without an error", "number", "changed"], rows)


def _frequencies(workspace: Workspace, text: str) -> np.ndarray:
    return Lexicon(workspace.corpus, workspace.repository).document_frequencies(words(text))


def _uqv100(workspace: Workspace, spelling: SpellingCorrector, lexicon: Lexicon) -> str:
    """The pairs of a random half of the needs, with an error in every query."""
    judged = read_set("uqv100")
    held_out = judged.part(~judged.half())
    rng, typed = Random(0), {}
    for query in dict.fromkeys(held_out.left):
        errors = (misspelt(query, rng.choice(KINDS), lexicon, rng) for _ in range(5))
        typed[query] = next((error for error in errors if error is not None), None)
    rows_used = [row for row, query in enumerate(held_out.left) if typed[query] is not None]
    rng.shuffle(rows_used)
    rows_used = sorted(rows_used[:PAIRS])
    labels = held_out.labels[rows_used]
    right = [held_out.right[row] for row in rows_used]
    meant = [held_out.left[row] for row in rows_used]
    wrong = [str(typed[query]) for query in meant]
    corrected = [found.text if (found := spelling.correct(text)) else text for text in wrong]
    scorer = BatchScorer({"web-kernel": workspace.measure("web-kernel")})
    table_rows = []
    for name, left in (("as meant", meant), ("with an error", wrong), ("corrected", corrected)):
        scores = scorer.score(left, right)["web-kernel"]
        distinct = list(dict.fromkeys(left))
        covered = float(workspace.expander.search(distinct)[2].mean())
        table_rows.append([name, number(covered), number(auc(labels, scores))])
    shares = _shares(workspace, spelling, list(dict.fromkeys(zip(wrong, meant, strict=True))))
    variations = list(dict.fromkeys([*judged.left, *judged.right]))
    unknown = [text for text in variations if not (_frequencies(workspace, text) > 0).all()]
    real = [(text, found) for text in unknown if (found := spelling.correct(text))]
    replaced = sorted({str(each) for _, found in real for each in found.replacements})
    return "\n\n".join(
        [
            f"{len(rows_used):,} pairs of a random half of the needs; one error in each first query, {number(shares[0])} corrected rightly, {number(shares[1])} wrongly:",
            table(["first query", "covered", "AUC"], table_rows),
            f"As they are, {len(unknown)} of {len(variations):,} variations have a word without evidence (the set was spell-checked by its makers); {len(real)} are changed: {'; '.join(replaced) or '-'}.",
        ]
    )


def _time(spelling: SpellingCorrector, half: Half) -> str:
    typed = [text for errors in half.errors.values() for text, _ in errors]
    right = [text for errors in half.errors.values() for _, text in errors]
    rows = []
    for name, texts in (("with an error", typed), ("without one", right)):
        took = []
        for text in texts:
            start = time.process_time()
            spelling.correct(text)
            took.append(1000 * (time.process_time() - start))
        rows.append([name, *(f"{np.percentile(took, share):.2f}" for share in (50, 95))])
    return table(["queries", "median ms of processor time", "95 % ms"], rows)


if __name__ == "__main__":
    data.show(report)
