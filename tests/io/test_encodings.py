"""Encodings found in the bytes of a file, while it is read."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.errors import InputError
from querykin.io.encodings import TextFile, decode
from querykin.io.streams import PIECE

GERMAN = "Suchbegriff;Anzahl\nkühlschrank günstig;40\nspülmaschine;12\n"
TEXTS = {
    "cp1252": [
        GERMAN,
        "Requête;Clics\nvélo électrique;12\n",
        "título;descrição\ncalção;ações\n",
        "10 € – “bar”\n",
    ],
    "latin-1": ["zapatos niño;12\nbaño;4\n", "café\n"],
    "cp1250": ["żółta koszula\nłódź podwodna\nbuty męskie\n", "červené víno\nsekačka na trávu\npříčka\n"],
    "iso8859-2": ["żółta koszula\nłódź podwodna\nśnieg\nbuty męskie\n"],
    "cp1251": ["Запрос;Показы\nгазонокосилка;340\nкупить холодильник;20\n"],
    "cp932": ["検索クエリ,表示回数\n芝刈り機,340\nノートパソコン おすすめ,20\n"],
    "gb18030": ["关键词,搜索量\n割草机,340\n笔记本电脑 推荐,20\n"],
    "utf-16-le": [GERMAN, "検索クエリ,表示回数\n芝刈り機,340\n"],
    "utf-16-be": [GERMAN],
    "utf-32-le": [GERMAN],
    "utf-32-be": [GERMAN],
}


def opened(data: bytes) -> TextFile:
    return TextFile(io.BufferedReader(io.BytesIO(data)), "a.csv")


@pytest.mark.parametrize(("encoding", "text"), [(name, text) for name in TEXTS for text in TEXTS[name]])
def test_a_text_of_a_few_lines_is_decoded(encoding, text):
    data = text.encode(encoding)
    assert opened(data).read().decode() == text
    assert decode(data) == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff")))
def test_unicode_with_a_mark_is_decoded_whatever_the_text(text):
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert opened(text.encode(encoding)).read().decode() == text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff")))
def test_utf8_is_unchanged_whatever_the_text(text):
    file = opened(text.encode())
    assert file.read().decode() == text
    assert file.encoding == "UTF-8"


def test_the_encoding_is_decided_by_the_first_bytes_beyond_ascii_however_late_they_come():
    file = opened(
        b"a,b\n" * PIECE + "Größe,ä\n".encode("cp1252") + b"c\n" * PIECE + "übrig\n".encode("cp1252")
    )
    text = file.read().decode()
    assert "Größe,ä\n" in text
    assert text.endswith("übrig\n")
    assert file.encoding == "CP1252"


@pytest.mark.parametrize("cut", range(1, 4))
def test_a_character_may_be_cut_between_two_pieces(cut):
    text = "x" * (PIECE - cut) + "😀 Größe"
    assert opened(text.encode()).read().decode() == text


def test_a_damaged_byte_leaves_a_file_in_utf8():
    data = ("Größe äöü ßÄÖ éàè\n" * 9).encode() + b"caf\xe9\n"
    assert opened(data).read() == data


@pytest.mark.parametrize(
    ("declared", "encoding"), [("iso-8859-1", "CP1252"), ("koi8-r", "KOI8-R"), ("x", "CP1252")]
)
def test_the_declaration_of_a_page_is_used(declared, encoding):
    text = "тест" if declared == "koi8-r" else "Café"
    page = f'<meta charset="{declared}"><p>{text}'
    file = opened(page.encode("koi8-r" if declared == "koi8-r" else "cp1252"))
    assert file.read().decode() == page
    assert file.encoding == encoding


@pytest.mark.parametrize(
    "data", [b"\0\1\2\xff", b"a\0b", b"\0\0\0", b"title,x\nnul\0,1\nJava,2", bytes(range(256)), b"query,\0\n"]
)
def test_binary_data_is_no_utf16(data):
    assert b"\0" in opened(data).read()


@pytest.mark.parametrize(
    ("encoding", "data"), [("UTF-16", b"\xff\xfea\0\0\xd8"), ("UTF-32", b"\xff\xfe\0\0abcd")]
)
def test_broken_unicode_after_its_mark_is_an_input_error(encoding, data):
    with pytest.raises(InputError, match=f"a.csv begins like {encoding} but is not"):
        opened(data).read()


@pytest.mark.parametrize(
    ("data", "lines"), [(b"a\rb\r", [b"a\n", b"b\n"]), (b"a\r\nb\rc", [b"a\r\n", b"b\rc"])]
)
def test_lines_end_in_cr_only_where_there_are_no_line_feeds(data, lines):
    assert list(opened(data)) == lines
