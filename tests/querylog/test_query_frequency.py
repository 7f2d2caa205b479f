"""What the counts of queries consist of: mined ones are in documents, others were asked."""

from querykin.querylog.query_frequency import QueryFrequency, RepositoryTotals
from querykin.querylog.repository import Repository
from querykin.storage.source_names import MINED_SOURCE


def test_the_count_of_a_mined_query_is_a_number_of_documents(tmp_path):
    repository = Repository(tmp_path)
    assert repository.totals() == RepositoryTotals(0, 0, 0)
    repository.add([("apple pie", 3), ("nasa", 1)], source="console")
    repository.add([("nasa", 7), ("space probe", 4)], source=MINED_SOURCE)
    found = {text: repository.frequency(repository.ids_of([text])[0]) for text in ("apple pie", "nasa")}
    assert found == {"apple pie": QueryFrequency(3, 0), "nasa": QueryFrequency(1, 7)}
    assert str(repository.frequency(repository.ids_of(["space probe"])[0])) == "in 4 documents"
    assert repository.totals() == RepositoryTotals(logged=2, mined=1, asked=4)
    repository.remove_source("console")
    assert repository.totals() == RepositoryTotals(logged=0, mined=2, asked=0)
