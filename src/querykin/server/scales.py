"""Grading scales: those of the papers, and plain numbers for judgements sent by programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from querykin.errors import InputError


@dataclass(frozen=True)
class Grade:
    """A grade of a scale: value, label, description, and its key on the judging page."""

    value: float
    label: str
    description: str
    key: str


@dataclass(frozen=True)
class Scale:
    """Grades a rater may give, best first; a scale without grades accepts any finite number."""

    name: str
    title: str
    grades: tuple[Grade, ...] = ()
    relevant: float | None = None  # lowest grade that counts as relevant

    def check(self, grade: float) -> float:
        """The grade itself; InputError if it is not on the scale."""
        allowed = [step.value for step in self.grades]
        if not isfinite(grade) or (allowed and grade not in allowed):
            steps = ", ".join(f"{step.value:g} ({step.label})" for step in self.grades) or "a finite number"
            raise InputError(f"the grade must be on the scale {self.title!r}: {steps}; got {grade:g}")
        return grade

    def label(self, grade: float) -> str:
        """Label of a grade; its number if the scale has no label for it."""
        return next((step.label for step in self.grades if step.value == grade), f"{grade:g}")


QUALITY = Scale(  # Metzler et al. 2007, Yih & Meek 2007
    "quality",
    "Excellent to Bad",
    (
        Grade(3, "Excellent", "the same need in other words, or exactly what to try next", "e"),
        Grade(2, "Good", "clearly related: most people who search for one want the other too", "g"),
        Grade(1, "Fair", "somewhat related, but few people would follow it", "f"),
        Grade(0, "Bad", "off topic", "b"),
    ),
    relevant=2,
)
LIKERT = Scale(  # Sahami & Heilman 2006
    "likert",
    "1 to 5, as a next query",
    (
        Grade(5, "Fantastic", "better than the query itself", "5"),
        Grade(4, "Potentially better", "may lead to more or different useful results", "4"),
        Grade(3, "Same", "as good as the query", "3"),
        Grade(2, "Worse", "related, but worse than the query", "2"),
        Grade(1, "Off topic", "about something else", "1"),
    ),
    relevant=4,
)
DEGREES = Scale(  # Alfonseca et al. 2009
    "degrees",
    "0 to 4, how closely related",
    (
        Grade(4, "Same meaning", "either could replace the other", "4"),
        Grade(3, "Closely related", "nearly the same need", "3"),
        Grade(2, "Related", "another aspect of the same subject", "2"),
        Grade(1, "Loosely related", "a remote connection", "1"),
        Grade(0, "Unrelated", "no connection", "0"),
    ),
    relevant=2,
)
NUMBERS = Scale("numbers", "Any number")
SCALES: Mapping[str, Scale] = {scale.name: scale for scale in (QUALITY, LIKERT, DEGREES, NUMBERS)}
