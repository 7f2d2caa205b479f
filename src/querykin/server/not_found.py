"""The error for a task, an evaluation or a job that is not there: status 404."""

from querykin.errors import QuerykinError


class NotFound(QuerykinError):
    """What an address names does not exist, or no longer."""
