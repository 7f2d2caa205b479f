"""The address of a view of the Clusters page: list, measure, threshold, and what of it is shown."""

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from fastapi import Depends, Form

from querykin.server.views import link
from querykin.text.normalization import normalize_query


@dataclass(frozen=True)
class ClusterAddress:
    """Values as they stand in the address; empty ones have defaults."""

    list: str = ""  # the id of a keyword list; empty: the past queries
    measure: str = ""
    threshold: str = ""
    find: str = ""
    page: str = ""
    group: str = ""  # any keyword of the cluster that is shown
    moving: str = ""  # a keyword for which another cluster is being chosen

    def link(self, path: str = "/clusters", **changes: Any) -> str:
        """A path with these values and some changes."""
        return link(path, **asdict(replace(self, **changes)))

    @property
    def fields(self) -> dict[str, str]:
        """The values that are not empty, for hidden fields of forms."""
        return {name: value for name, value in asdict(replace(self, moving="")).items() if value}


def _from_query(
    list: str = "",
    measure: str = "",
    threshold: str = "",
    find: str = "",
    page: str = "",
    group: str = "",
    moving: str = "",
) -> ClusterAddress:
    return ClusterAddress(
        list, measure, threshold, normalize_query(find), page, normalize_query(group), normalize_query(moving)
    )


def _from_form(
    list: Annotated[str, Form()] = "",
    measure: Annotated[str, Form()] = "",
    threshold: Annotated[str, Form()] = "",
    find: Annotated[str, Form()] = "",
    page: Annotated[str, Form()] = "",
    group: Annotated[str, Form()] = "",
) -> ClusterAddress:
    return ClusterAddress(list, measure, threshold, normalize_query(find), page, normalize_query(group))


Address = Annotated[ClusterAddress, Depends(_from_query)]
FormAddress = Annotated[ClusterAddress, Depends(_from_form)]
