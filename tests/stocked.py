"""Past queries over the five topics, and workspaces with repositories and indexes."""

from querykin import Workspace
from topics import DOCUMENTS, QUERIES

TITLES = [document.title for document in DOCUMENTS if document.title]
DISTINCT = {text.casefold(): text for text in (*QUERIES, *TITLES)}  # as a repository stores them
REPOSITORY = [(text, 1 + 7 * number % 5) for number, text in enumerate(DISTINCT.values())]
REPOSITORY += [("space, exploration", 9), ("exploration space", 9), ("nasa!", 2), ("zzyzx", 50), ("😀", 3)]


def stock(workspace: Workspace, repository, *names: str) -> Workspace:
    """Add a repository to the workspace and build the indexes of these measures."""
    workspace.repository.add(repository)
    workspace = workspace.reopen()
    for name in names:
        workspace.build(name)
    return workspace.reopen()
