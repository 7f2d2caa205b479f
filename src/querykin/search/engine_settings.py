"""The settings of the search engine over the corpus."""

from typing import Literal

from pydantic import Field

from querykin.validation import Section


class EngineSettings(Section):
    """The search engine over the corpus."""

    kind: str = Field(
        "tantivy",
        description="the search engine: tantivy, embedded; opensearch, at the hosts of [opensearch]; or "
        "recorded, which reads stored results",
    )
    path: str = Field("", description="the file of stored results, for recorded")
    mode: Literal["proposer"] = Field(
        "proposer", description="what opensearch does: it proposes documents, which are ranked here"
    )
    index: str = Field("querykin-documents", description="the index of the documents, for opensearch")
