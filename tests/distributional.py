"""Helpers of the tests of the distributional measures: the reference and random queries."""

from functools import cache

from hypothesis import strategies as st

from querykin import Document, Settings, Workspace
from querykin.measures import measures
from reference.association import ReferenceDistributional
from reference.cooccurrence import ReferenceCooccurrence
from stocked import TITLES
from topics import DOCUMENTS, WORDS

NAMES = ["distributional", "distributional-ngrams"]
REFERENCE = ReferenceCooccurrence.over(DOCUMENTS, TITLES)
query_texts = st.lists(
    st.sampled_from([*WORDS, *TITLES, "zzyzx", "NASA's"]),
    max_size=4,
).map(" ".join)


def make_documents(texts, title: str = "") -> list[Document]:
    return [Document(str(number), title, text) for number, text in enumerate(texts)]


def configured(workspace: Workspace, **parameters) -> Workspace:
    return Workspace(workspace.path, Settings(measures={name: parameters for name in NAMES}))


@cache
def reference_measure(name: str, weighting: str = "npmi", smoothing: float = 0.0) -> ReferenceDistributional:
    return ReferenceDistributional(REFERENCE, measures[name].kind.phrases, weighting, smoothing)
