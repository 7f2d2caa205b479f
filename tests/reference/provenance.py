"""Variable-byte encoding of deltas: the reference for `querykin.index.provenance`."""


def packed(rows: list[list[int]]) -> list[bytes]:
    """The documents of every row, ascending; the high bit is set in all but the last byte of a number."""
    out = []
    for row in rows:
        encoded, last = bytearray(), 0
        for number in sorted(row):
            delta, last = number - last, number
            groups = [delta >> shift & 127 for shift in range(0, max(1, delta.bit_length()), 7)]
            encoded += bytes([group | 128 for group in groups[:-1]] + groups[-1:])
        out.append(bytes(encoded))
    return out
