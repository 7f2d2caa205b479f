"""What a measure depends on, said in one way."""

from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True)
class Requirements:
    """What must be there before a measure can be built.

    `derived` names data derived from the corpus or the query log: "cooccurrence", "latent", "query-log",
    "document-vectors/static", "document-vectors/dense", "log-graphs/clicks", "log-graphs/sessions",
    "log-graphs/reformulations".
    `packages` are optional Python packages.
    """

    corpus: bool = False
    derived: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        """Whether the optional packages are installed."""
        return all(find_spec(name) for name in self.packages)

    def __or__(self, other: "Requirements") -> "Requirements":
        """What either of the two depends on."""
        return Requirements(
            self.corpus or other.corpus,
            tuple(dict.fromkeys([*self.derived, *other.derived])),
            tuple(dict.fromkeys([*self.measures, *other.measures])),
            tuple(dict.fromkeys([*self.packages, *other.packages])),
        )
