"""The settings of the index that candidates are searched in."""

from typing import Literal

from pydantic import Field

from querykin.validation import Section


class CandidateSettings(Section):
    """Where the rows of past queries are searched."""

    kind: Literal["local", "opensearch"] = Field(
        "local",
        description="local: the index of the workspace; opensearch: the rows that querykin publish sent to "
        "[opensearch], for web-kernel and for the part of hybrid that it is",
    )
    index: str = Field("querykin-candidates", description="the alias of the published rows")
