"""The same input gives the same bytes; the larger test is `python -m torture determinism`."""

from concurrent.futures import ThreadPoolExecutor

from torture.determinism import content_of_run, write_inputs


def test_two_runs_with_other_threads_and_hash_seeds_write_the_same_bytes(tmp_path):
    write_inputs(tmp_path, 60, 20, seed=0)
    steps = [
        "corpus add first.jsonl --language en",
        "repository add queries.txt",
        "build --measures jaccard,web-kernel",
    ]
    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(lambda variant: content_of_run(tmp_path, steps, *variant), [(1, 1), (2, 2)])
    assert len(one) > 30
    assert one == two
