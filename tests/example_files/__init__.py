"""Files like those that people bring, made by code: what they imitate, and what must come in from them."""

from .example import Example

__all__ = ["Example", "all_examples"]


def all_examples() -> list[Example]:
    """The examples of all modules, in the order of the reference page."""
    from . import tables

    return [*tables.EXAMPLES]
