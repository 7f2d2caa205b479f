"""What tests of the distributional measures share: their slow twin and texts to ask about."""

from functools import cache

from hypothesis import strategies as st

from querykin import Document, Settings, Workspace
from querykin.measures import measures
from reference.association import PlainDistributional
from reference.cooccurrence import PlainCooccurrence
from stocked import TITLES
from topics import DOCUMENTS, WORDS

NAMES = ["distributional", "distributional-ngrams"]
PLAIN = PlainCooccurrence.over(DOCUMENTS, TITLES)
asked = st.lists(
    st.sampled_from([*WORDS, *TITLES, "zzyzx", "NASA's"]),
    max_size=4,
).map(" ".join)


def some(texts, title: str = "") -> list[Document]:
    return [Document(str(number), title, text) for number, text in enumerate(texts)]


def configured(workspace: Workspace, **parameters) -> Workspace:
    return Workspace(workspace.path, Settings(measures={name: parameters for name in NAMES}))


@cache
def plain(name: str, weighting: str = "npmi", smoothing: float = 0.0) -> PlainDistributional:
    return PlainDistributional(PLAIN, measures[name].kind.phrases, weighting, smoothing)
