"""The outcome of an evaluation run: judged pairs, scores and results, from which reports are written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from querykin.compute.arrays import Float64Array
from querykin.evaluation.results import Evaluation
from querykin.io.judged_pairs import JudgedPairs


@dataclass(frozen=True)
class EvaluationOutcome:
    """An evaluation with its judged pairs and their scores; ranked lists have no scores."""

    judged: JudgedPairs
    scores: Mapping[str, Float64Array]
    evaluation: Evaluation
    seen: Sequence[str] = ()  # trained measures that were fitted to these judgements
