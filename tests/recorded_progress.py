"""Progress that records its messages."""

from querykin.progress import Silent


class Recorded(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def message(self, text: str) -> None:
        self.lines.append(text)
