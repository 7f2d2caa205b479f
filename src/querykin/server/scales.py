"""On which scale do people grade? Those of the papers, and plain numbers for other programs."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from querykin.errors import InputError


@dataclass(frozen=True)
class Grade:
    """One step of a scale: its number, what it is called, what it means, and the key that gives it."""

    value: float
    label: str
    meaning: str
    key: str


@dataclass(frozen=True)
class Scale:
    """The grades that a rater may give, the best first; none stands for any number."""

    name: str
    title: str
    grades: tuple[Grade, ...] = ()
    relevant: float | None = None  # from which grade on a suggestion counts as a good one

    def check(self, grade: float) -> float:
        """Refuse a grade that is not on the scale."""
        allowed = [step.value for step in self.grades]
        if not isfinite(grade) or (allowed and grade not in allowed):
            steps = ", ".join(f"{step.value:g} ({step.label})" for step in self.grades) or "a finite number"
            raise InputError(f"the grade must be one of the scale {self.title!r}: {steps}; got {grade:g}")
        return grade

    def label(self, grade: float) -> str:
        """What a grade is called."""
        found = next((step.label for step in self.grades if step.value == grade), None)
        return found or f"{grade:g}"


QUALITY = Scale(
    "quality",
    "Excellent to Bad",
    (
        Grade(3, "Excellent", "the same need in other words, or exactly what to try next", "e"),
        Grade(2, "Good", "clearly related: most people who ask the one would welcome the other", "g"),
        Grade(1, "Fair", "some relation, but few people would follow it", "f"),
        Grade(0, "Bad", "off topic", "b"),
    ),
    relevant=2,
)
LIKERT = Scale(
    "likert",
    "1 to 5, as a next query",
    (
        Grade(5, "Fantastic", "better than the query itself", "5"),
        Grade(4, "Potentially better", "may lead to more or other results of use", "4"),
        Grade(3, "Same", "as good as the query", "3"),
        Grade(2, "Worse", "related, but worse than the query", "2"),
        Grade(1, "Off topic", "about something else", "1"),
    ),
    relevant=4,
)
DEGREES = Scale(
    "degrees",
    "0 to 4, how closely related",
    (
        Grade(4, "Same meaning", "either could stand for the other", "4"),
        Grade(3, "Closely related", "nearly the same need", "3"),
        Grade(2, "Related", "another side of the same subject", "2"),
        Grade(1, "Loosely related", "a remote connection", "1"),
        Grade(0, "Unrelated", "nothing to do with it", "0"),
    ),
    relevant=2,
)
NUMBERS = Scale("numbers", "Any number")
SCALES: Mapping[str, Scale] = {scale.name: scale for scale in (QUALITY, LIKERT, DEGREES, NUMBERS)}
