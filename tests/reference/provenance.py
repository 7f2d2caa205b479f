"""Numbers as differences of seven bits a byte, one after another."""


def packed(rows: list[list[int]]) -> list[bytes]:
    """The documents of every row, rising; the highest bit of a byte says that its number goes on."""
    out = []
    for row in rows:
        spelt, last = bytearray(), 0
        for number in sorted(row):
            step, last = number - last, number
            sevens = [step >> shift & 127 for shift in range(0, max(1, step.bit_length()), 7)]
            spelt += bytes([part | 128 for part in sevens[:-1]] + sevens[-1:])
        out.append(bytes(spelt))
    return out
