"""An evaluation together with the judged pairs and scores it is computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from querykin.compute.arrays import Float64Array
from querykin.evaluation.results import Evaluation
from querykin.io.judged_pairs import JudgedPairs


@dataclass(frozen=True)
class EvaluationOutcome:
    """An evaluation and its data; runs have no scores of judged pairs."""

    judged: JudgedPairs
    scores: Mapping[str, Float64Array]
    evaluation: Evaluation
    seen: Sequence[str] = ()  # measures that were trained on these judged pairs
