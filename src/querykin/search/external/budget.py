"""The number of requests that one command may send."""

from threading import Lock

from querykin.counted_nouns import counted
from querykin.errors import ServiceUnavailable


class BudgetSpent(ServiceUnavailable):
    """No further request may be sent; what was received is stored."""


class RequestBudget:
    """Counts requests, of several threads.

    >>> budget = RequestBudget(1)
    >>> budget.spend()
    >>> budget.spend()
    Traceback (most recent call last):
    querykin.search.external.budget.BudgetSpent: the budget of 1 request is spent
    """

    def __init__(self, limit: int) -> None:
        self.limit, self.spent, self._lock = limit, 0, Lock()

    @property
    def left(self) -> int:
        """Requests that may still be sent."""
        return self.limit - self.spent

    def spend(self) -> None:
        """Take one request; an error if there is none left."""
        with self._lock:
            if self.spent >= self.limit:
                raise BudgetSpent(f"the budget of {counted(self.limit, 'request')} is spent")
            self.spent += 1
