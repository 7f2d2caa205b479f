"""Block checksums, plainly."""

from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

BLOCK = 65_536


def checksum(content: bytes) -> str:
    """The XXH3 of the XXH3s, big-endian, of all blocks of a file."""
    blocks = [content[begin : begin + BLOCK] for begin in range(0, len(content), BLOCK)]
    return xxh3_64_hexdigest(b"".join(xxh3_64_intdigest(block).to_bytes(8, "big") for block in blocks))


def unverified(first: list[int], last: list[int], verified: list[bool]) -> set[int]:
    """The blocks of ranges that are not verified."""
    wanted = {block for a, b in zip(first, last, strict=True) for block in range(a, b + 1)}
    return {block for block in wanted if 0 <= block < len(verified) and not verified[block]}
