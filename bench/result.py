"""The result of a benchmark: a table, figures for `bench.compare`, and headline ratios."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reproduce.markdown import table

FOLDER = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True)
class Result:
    """One table; `figures` are compared between runs, `ratios` are the headlines."""

    name: str
    title: str
    text: str  # the workload and the conditions
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: Mapping[str, float]
    ratios: Mapping[str, float] = field(default_factory=dict)

    def markdown(self) -> str:
        """The table with its title and text."""
        return (
            f"## {self.title}\n\n{self.text}\n\n{table(list(self.header), [list(row) for row in self.rows])}"
        )

    def save(self, machine: Mapping[str, object]) -> None:
        """Write the result to the folder that `bench.compare` reads."""
        FOLDER.mkdir(exist_ok=True)
        facts = {
            "title": self.title,
            "text": self.text,
            "header": list(self.header),
            "rows": [list(row) for row in self.rows],
            "figures": dict(self.figures),
            "ratios": dict(self.ratios),
            "machine": dict(machine),
        }
        (FOLDER / f"{self.name}.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
