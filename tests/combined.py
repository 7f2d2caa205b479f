"""Judged pairs over the five topics, and combinations trained on them."""

from pathlib import Path

from querykin import Workspace
from querykin.io.judgement_files import read_judged_pairs
from querykin.learning.combination.fitting import TrainingConfig
from querykin.learning.combination.training import CombinationTask, train_combination
from querykin.learning.combination.training_data import CombinationTrainingData, with_first_stage
from querykin.model_files import Model
from topics import FACTS

MEASURES = ("web-kernel", "jaccard-stems", "edit", "lexical", "dense-prob")
ABSENT = "zzyzx qqxz"  # a candidate that no document covers


def judged_rows(per_topic: int = 3) -> list[tuple[str, str, int]]:
    """Query, candidate and grade: titles of the same topic are good, a word of them fair, others bad."""
    topics = {topic: [title for title, _ in facts] for topic, facts in FACTS.items()}
    rows = []
    for position, (topic, titles) in enumerate(topics.items()):
        others = [title for name, other in topics.items() if name != topic for title in other]
        for number in range(per_topic):
            query = titles[number]
            rows += [(query, titles[(number + step) % 12], 2) for step in (3, 4)]
            rows.append((query, f"{titles[number + 5]} {others[number]}", 1))
            rows += [(query, others[(7 * position + 5 * number + step) % len(others)], 0) for step in (0, 11)]
            rows.append((query, ABSENT, 0))
    return rows


def table(rows) -> str:
    """Rows as a TSV file."""
    return "query\tcandidate\tgrade\n" + "".join(f"{q}\t{c}\t{g}\n" for q, c, g in rows)


def train(workspace: Workspace, folder: Path, name: str, measures=MEASURES, **options) -> Model:
    """Train a combination on the judged pairs and store it in the workspace."""
    file = folder / "judged.tsv"
    file.write_text(table(options.pop("rows", judged_rows())))
    return train_combination(workspace, CombinationTask(str(file), name, measures, **options))


def keep(
    workspace: Workspace, folder: Path, name: str, training_config: TrainingConfig, leaders=None
) -> Model:
    """Fit a combination and store it in the workspace, without a report."""
    file = folder / "judged.tsv"
    file.write_text(table(judged_rows()))
    training_data = CombinationTrainingData.prepare(
        workspace, read_judged_pairs(str(file)), training_config, 2
    )
    first_stage = training_data.searchable if leaders is None else leaders
    content = with_first_stage(
        training_data.learn(training_data.rows), dict.fromkeys(first_stage, 1.0), first_stage
    )
    model = Model("combination", name, content, {"relevant": 2})
    workspace.models.write(model)
    return model
