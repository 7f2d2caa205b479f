"""How alike are two short texts? Similarity and related queries from what a corpus says about them."""

from querykin.errors import InputError, MissingExtra, QuerykinError, UnknownName, WorkspaceError
from querykin.settings import Config
from querykin.types import Contribution, Document, Explanation, Hit, Passage
from querykin.version import __version__
from querykin.workspace import Workspace

__all__ = [
    "Config",
    "Contribution",
    "Document",
    "Explanation",
    "Hit",
    "InputError",
    "MissingExtra",
    "Passage",
    "QuerykinError",
    "UnknownName",
    "Workspace",
    "WorkspaceError",
    "__version__",
]
