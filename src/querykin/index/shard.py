"""A shard: a contiguous range of the query ids, whose rows one of several processes searches."""

import re
from dataclasses import dataclass

from querykin.errors import InputError


@dataclass(frozen=True, slots=True)
class Shard:
    """Shard `number` of `count`, counted from 1; the shards of one count hold every query id once.

    >>> shards = [Shard.parse(text) for text in ("1/3", "2/3", "3/3")]
    >>> [shard.ids(10) for shard in shards]
    [range(0, 3), range(3, 6), range(6, 10)]
    """

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """The shard that "2/4" names: the second of four."""
        found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise InputError(f"a shard is i/n with 1 <= i <= n, as 2/4 for the second of four; got {text!r}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def ids(self, total: int) -> range:
        """The query ids of the shard, of a repository that has given out `total` ids."""
        return range((self.number - 1) * total // self.count, self.number * total // self.count)

    def others(self) -> tuple[str, ...]:
        """The names of the other shards."""
        return tuple(
            str(Shard(number, self.count)) for number in range(1, self.count + 1) if number != self.number
        )
