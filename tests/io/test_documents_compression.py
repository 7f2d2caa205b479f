"""Every document format in every compression, and damaged files."""

import gzip
import io
import lzma

import pytest
import zstandard

from querykin.errors import InputError

CONTENT = {
    ".jsonl": '{"title": "Java", "text": "island"}\n',
    ".ndjson": '{"title": "Java", "text": "island"}\n',
    ".json": '[{"title": "Java", "text": "island"}]',
    ".csv": "title,text\nJava,island\n",
    ".tsv": "title\ttext\nJava\tisland\n",
    ".txt": "Java\nisland\n",
    ".text": "Java\nisland\n",
    ".md": "# Java\n\nisland\n",
    ".html": "<title>Java</title><p>island</p>",
    ".htm": "<title>Java</title><p>island</p>",
    ".xhtml": "<html><head><title>Java</title></head><body>island</body></html>",
    ".xml": "<mediawiki><page><title>Java</title><revision><text>island</text></revision></page></mediawiki>",
}
LINES = b"".join(b'{"text": "document %d"}\n' % number for number in range(20_000))


@pytest.mark.parametrize("suffix", CONTENT)
def test_every_format_is_read_in_every_compression(read, file, compression, suffix):
    ending, compress = compression
    documents, problems = read(file(f"d{suffix}{ending}", compress(CONTENT[suffix].encode())))
    assert [(document.title, document.text.split()[-1]) for document in documents] == [("Java", "island")]
    assert problems == []


@pytest.mark.parametrize("suffix", CONTENT)
def test_standard_input_is_recognized_in_every_format_and_compression(read, compression, suffix):
    _, compress = compression
    documents, _ = read("-", stdin=io.BytesIO(compress(CONTENT[suffix].encode())))
    assert [(document.title, document.text.split()[-1]) for document in documents] == [("Java", "island")]


def test_several_streams_in_one_file_are_all_read(read, file, compressed):
    ending, compress = compressed
    middle = len(LINES) // 2 + 3
    documents, problems = read(file(f"d.jsonl{ending}", compress(LINES[:middle]) + compress(LINES[middle:])))
    assert len(documents) == 20_000
    assert problems == []


@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_padding_after_a_stream_is_ignored(read, file, ending):
    compress = {".gz": gzip.compress, ".xz": lzma.compress}[ending]
    padded = compress(b'{"text": "a"}\n') + b"\0" * 512 + compress(b'{"text": "b"}\n') + b"\0" * 4
    assert len(read(file(f"d.jsonl{ending}", padded)).documents) == 2


def test_a_zstd_file_may_begin_with_a_skippable_frame(read, file):
    frame = b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + zstandard.ZstdCompressor().compress(b'{"text": "a"}')
    assert len(read(file("d.jsonl.zst", frame)).documents) == 1


def test_a_truncated_file_is_an_input_error(read, file, compressed):
    ending, compress = compressed
    path = file(f"d.jsonl{ending}", compress(LINES)[:-20])
    with pytest.raises(InputError, match=r"d\.jsonl\S+ is cut or damaged.*fetch or compress it again"):
        read(path)


def test_a_corrupt_file_is_an_input_error(read, file, compressed):
    ending, compress = compressed
    data = bytearray(compress(LINES))
    data[len(data) // 2] ^= 0x55
    with pytest.raises(InputError, match="is cut or damaged"):
        read(file(f"d.jsonl{ending}", bytes(data)))


def test_garbage_after_a_stream_is_an_input_error(read, file, compressed):
    ending, compress = compressed
    with pytest.raises(InputError, match="is cut or damaged"):
        read(file(f"d.jsonl{ending}", compress(LINES) + b"and something else"))


def test_a_suffix_of_a_compression_must_match_the_content(read, file, compressed):
    ending, _ = compressed
    with pytest.raises(InputError, match=f"ends in {ending} but holds other data: rename"):
        read(file(f"d.jsonl{ending}", LINES))


def test_a_compression_other_than_that_of_the_suffix_is_named(read, file):
    with pytest.raises(InputError, match=r"ends in \.zst but holds gzip data"):
        read(file("d.jsonl.zst", gzip.compress(LINES)))


def test_an_empty_compressed_file_is_an_input_error(read, file, compressed):
    with pytest.raises(InputError, match="but holds nothing"):
        read(file(f"d.jsonl{compressed[0]}", b""))


def test_a_compressed_file_without_the_suffix_is_read_too(read, file, compressed):
    assert len(read(file("d.jsonl", compressed[1](LINES))).documents) == 20_000
