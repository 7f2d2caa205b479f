"""Evidence about texts, result by result: the reference for `measures.text_evidence`."""

from reference.corpus import ReferenceCorpus


def matched(corpus: ReferenceCorpus, text: str, limit: int) -> float:
    """The share of the text's idf mass that its results match, each result weighted by (score / best)^2."""
    idf, scores, results = corpus.query(text), corpus.scores(text), corpus.search(text, limit)
    if not results:
        return 0.0
    weights = [(scores[result] / scores[results[0]]) ** 2 for result in results]
    mass = 0.0
    for weight, result in zip(weights, results, strict=True):
        mass += weight * sum(value for root, value in idf.items() if root in corpus.documents[result].stems)
    return mass / sum(weights) / sum(idf.values())


def titled(corpus: ReferenceCorpus, text: str) -> bool:
    """Whether one of the best three documents has a title of exactly the text's stems."""
    best = [corpus.documents[result] for result in corpus.search(text, 3)]
    return any(set(document.stems[: document.title]) == set(corpus.query(text)) for document in best)


def trust(covered: bool, matched: float, titled: bool, whole_words: float) -> float:
    """How far a model that knows this share of the words is trusted with a text."""
    if not covered:
        return 1.0
    known = 1.0 if whole_words >= 0.5 else whole_words / 0.5
    if titled:
        known /= 2
    return 1 - matched * (1 - known)


def part_weights(
    covered: bool, trust: float, dense: float, terms: float, terms_alone: float
) -> tuple[float, float, float]:
    """The weights of sentence embedding, word vectors and web kernel."""
    weights = dense * trust, 1.0, terms + terms_alone * (1 - trust) if covered else 0.0
    first, second, third = (weight / sum(weights) for weight in weights)
    return first, second, third
