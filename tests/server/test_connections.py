"""A worker's connections are bounded; the one that has waited longest makes room."""

import pytest

from querykin.errors import InputError
from querykin.server.connections import Connections


class Recorded:
    """A connection that records whether it was closed."""

    def __init__(self):
        self.closed = False

    def abort(self):
        self.closed = True


def admit(connections, number, address="192.0.2.1"):
    made = [Recorded() for _ in range(number)]
    return made, [connections.admit(each, address) for each in made]


def test_the_connection_that_has_waited_longest_makes_room():
    connections = Connections(3, 100)
    (first, second, third), _ = admit(connections, 3)
    connections.answer(first)
    connections.wait(first)  # its response is complete: it waits again, behind the others
    _, admitted = admit(connections, 1, "192.0.2.2")
    assert (admitted, len(connections)) == ([True], 3)
    assert (first.closed, second.closed, third.closed) == (False, True, False)


def test_a_connection_that_is_being_answered_is_never_closed_for_another():
    connections = Connections(2, 100)
    made, _ = admit(connections, 2)
    for each in made:
        connections.answer(each)
    (refused,), admitted = admit(connections, 1)
    assert (admitted, len(connections)) == ([False], 2)
    connections.remove(refused)  # as every closed connection is
    connections.remove(made[0])
    assert admit(connections, 1)[1] == [True]
    assert not any(each.closed for each in made)


def test_an_address_has_a_limit_of_its_own():
    connections = Connections(100, 2)
    (other,), _ = admit(connections, 1, "192.0.2.2")
    made, admitted = admit(connections, 5)
    assert all(admitted)
    assert [each.closed for each in made] == [True, True, True, False, False]
    assert not other.closed
    made, _ = admit(connections, 3, "2001:db8::1")
    neighbors, _ = admit(connections, 1, "2001:db8::2")  # of the same network
    assert [each.closed for each in (*made, *neighbors)] == [True, True, False, False]


def test_proxies_are_not_limited_by_address():
    connections = Connections(100, 2, ["10.0.0.0/8", "::1"])
    for address in ("10.1.2.3", "::1"):
        made, _ = admit(connections, 10, address)
        assert not any(each.closed for each in made)


def test_closed_connections_leave_nothing_behind():
    connections = Connections(100, 2)
    for number in range(1000):
        (made,), _ = admit(connections, 1, f"198.51.100.{number % 250}")
        if number % 2:
            connections.answer(made)
        connections.remove(made)
    tables = (value for value in vars(connections).values() if isinstance(value, dict))
    assert not len(connections)
    assert not any(tables)


def test_a_proxy_that_is_no_address_is_an_error():
    with pytest.raises(InputError, match=r"10.0.0.0/8, got 'proxy.example'"):
        Connections(100, 2, ["proxy.example"])
