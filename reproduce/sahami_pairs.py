"""Table 1 of Sahami & Heilman (2006): pairs with the paper's kernel, surface cosine and set overlap."""

from dataclasses import dataclass
from itertools import combinations

MIN_DIFFERENCE = 0.1  # minimum difference of the published K in a contrast


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and their published scores."""

    a: str
    b: str
    kernel: float
    cosine: float = 0.0
    overlap: float = 0.0

    def __str__(self) -> str:
        return f"{self.a} / {self.b}"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two pairs with a common text, one of which the paper scores clearly higher."""

    higher: Pair
    lower: Pair


PAIRS = (
    Pair("support vector machine", "SVM", 0.812, 0, 0.110),
    Pair("portable document format", "PDF", 0.732, 0, 0.060),
    Pair("artificial intelligence", "AI", 0.831, 0, 0.255),
    Pair("artificial insemination", "AI", 0.391, 0, 0),
    Pair("term frequency inverse document frequency", "tf idf", 0.831, 0, 0.125),
    Pair("term frequency inverse document frequency", "tfidf", 0.507, 0, 0.060),
    Pair("UN Secretary-General", "Kofi Annan", 0.825, 0, 0.065),
    Pair("UN Secretary-General", "George W. Bush", 0.110, 0, 0),
    Pair("US President", "George W. Bush", 0.688, 0, 0.045),
    Pair("Microsoft CEO", "Steve Ballmer", 0.838, 0, 0.090),
    Pair("Microsoft CEO", "Bill Gates", 0.317, 0, 0),
    Pair("Microsoft Founder", "Bill Gates", 0.677, 0, 0.010),
    Pair("Google CEO", "Eric Schmidt", 0.845, 0, 0.105),
    Pair("Google CEO", "Larry Page", 0.450, 0, 0.040),
    Pair("Google Founder", "Larry Page", 0.770, 0, 0.050),
    Pair("Microsoft Founder", "Larry Page", 0.189, 0, 0),
    Pair("Google Founder", "Bill Gates", 0.096, 0, 0),
    Pair("web page", "Larry Page", 0.123, 0.5, 0),
    Pair("space exploration", "NASA", 0.691, 0, 0.070),
    Pair("space exploration", "space travel", 0.592, 0.5, 0.005),
    Pair("vacation travel", "space travel", 0.321, 0.5, 0),
    Pair("machine learning", "ICML", 0.586, 0, 0.065),
    Pair("machine learning", "machine tooling", 0.197, 0.5, 0),
    Pair("graphical UI", "graphical models", 0.275, 0.5, 0),
    Pair("graphical UI", "graphical interface", 0.643, 0.5, 0),
    Pair("java island", "Indonesia", 0.454, 0, 0),
    Pair("java programming", "Indonesia", 0.020, 0, 0),
    Pair("java programming", "applet development", 0.563, 0, 0.010),
    Pair("java island", "java programming", 0.280, 0.5, 0),
)

# From the text of the paper, not its table: the answer is closer to the question than the question's own words.
QUESTION = Contrast(
    Pair("Who shot Abraham Lincoln", "John Wilkes Booth", 0.730),
    Pair("Who shot Abraham Lincoln", "Abraham Lincoln", 0.597),
)


def contrasts() -> list[Contrast]:
    """All pairs of pairs that share a text and whose published K differs by more than .1.

    >>> contrasts()[0].lower.a
    'artificial insemination'
    """
    found = []
    for pair, other in combinations(PAIRS, 2):
        shared = {pair.a.lower(), pair.b.lower()} & {other.a.lower(), other.b.lower()}
        if shared and abs(pair.kernel - other.kernel) > MIN_DIFFERENCE:
            low, high = sorted((pair, other), key=lambda each: each.kernel)
            found.append(Contrast(high, low))
    return found
