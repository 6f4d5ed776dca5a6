"""What a session has sent is kept within bounds, by stream."""

from __future__ import annotations

import pytest

from typedargs_server.transports._events import Event, EventLog, UnknownEvent


def log(max_events: int = 100, max_bytes: int = 1000) -> EventLog:
    return EventLog(max_events, max_bytes)


def test_the_ids_of_events_name_their_stream() -> None:
    events = log()
    first, second = events.open(), events.open()
    assert [events.add(n, b"x").id for n in (first, second, first)] == ["0-1", "1-1", "0-2"]


def test_what_follows_an_event_is_of_its_own_stream() -> None:
    events = log()
    first, second = events.open(), events.open()
    events.add(first, b"a")
    events.add(second, b"other")
    events.add(first, b"b")
    assert events.after("0-0") == [Event("0-1", b"a"), Event("0-2", b"b")]
    assert events.after("0-1") == [Event("0-2", b"b")]
    assert events.after("0-2") == []


def test_a_stream_that_has_ended_can_be_read_again() -> None:
    events = log()
    number = events.open()
    events.add(number, b"answer")
    events.end(number)
    assert events.after("0-0") == [Event("0-1", b"answer")]


@pytest.mark.parametrize("event_id", ["0-2", "1-0", "7-1", "x", "", "0", "0-", "0-1-1", "٣-0"])
def test_an_id_that_was_never_given_is_told(event_id: str) -> None:
    events = log()
    events.add(events.open(), b"a")
    with pytest.raises(UnknownEvent):
        events.after(event_id)


def test_no_more_events_are_kept_than_allowed() -> None:
    events = log(max_events=3)
    number = events.open()
    for at in range(5):
        events.add(number, b"%d" % at)
    assert [event.data for event in events.after("0-2")] == [b"2", b"3", b"4"]
    with pytest.raises(UnknownEvent, match="no longer kept"):
        events.after("0-1")


def test_no_more_bytes_are_kept_than_allowed_but_of_the_last_event() -> None:
    events = log(max_bytes=10)
    number = events.open()
    events.add(number, b"12345")
    events.add(number, b"67890")
    assert len(events.after("0-0")) == 2
    events.add(number, b"x" * 50)
    assert [event.data for event in events.after("0-2")] == [b"x" * 50]
    with pytest.raises(UnknownEvent):
        events.after("0-1")


def test_a_stream_of_which_nothing_is_kept_is_forgotten_when_it_has_ended() -> None:
    events = log(max_events=1)
    first, second = events.open(), events.open()
    events.add(first, b"a")
    events.end(first)
    events.add(second, b"b")
    with pytest.raises(UnknownEvent, match="keeps it no longer"):
        events.after("0-1")
    assert events._streams.keys() == {second}


def test_a_stream_without_any_event_is_forgotten_when_it_ends() -> None:
    events = log()
    events.end(events.open())
    assert not events._streams


def test_the_last_events_of_a_stream_come_with_the_id_before_them() -> None:
    events = log(max_events=2)
    number = events.open()
    assert events.last(number, 0) == ("0-0", [])
    for at in range(3):
        events.add(number, b"%d" % at)
    assert events.last(number, 1) == ("0-2", [Event("0-3", b"2")])
    assert events.last(number, 3) == ("0-1", [Event("0-2", b"1"), Event("0-3", b"2")])
    assert events.last(number, 0) == ("0-3", [])
