"""What the growth benchmark says of its numbers."""

import math

import pytest

from benchmarks.growth.curve import (
    Aim,
    Curve,
    Point,
    exponent,
    markdown,
    memory_text,
    percentile,
    seconds_text,
)
from benchmarks.growth.load import FULL, QUICK, Load
from benchmarks.growth.messages import Requests, check, notified
from benchmarks.wire import Era, WrongAnswer

LINEAR = [Point(10, 0.5, 2048), Point(100, 4.0, 4096), Point(1000, 40.0, 40960)]
SQUARE = [Point(10, 1.0), Point(100, 1.0), Point(1000, 100.0)]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(10, 1.0), (100, 10.0)], 1.0),
        ([(10, 1.0), (100, 100.0)], 2.0),
        ([(10, 1.0), (100, 1.0)], 0.0),
        ([(1, 9.0), (10, 1.0), (20, 2.0)], 1.0),  # only the last two count
        ([(10, 0.0), (100, 0.0)], 0.0),
        ([(10, 5.0), (100, -5.0)], 0.0),
        ([(10, 0.0), (100, 5.0)], math.inf),
        ([(10, None), (100, None)], None),
        ([(10, 1.0)], None),
        ([], None),
    ],
)
def test_the_exponent_is_that_between_the_two_largest_sizes(
    points: list[tuple[int, float | None]], expected: float | None
) -> None:
    assert exponent(points) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 1), (0.01, 1), (0.5, 50), (0.99, 99), (1.0, 100)]
)
def test_a_percentile_is_one_of_the_values(share: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


@pytest.mark.parametrize(
    ("aim", "text", "holds"),
    [
        (Aim("pings", 9.0, 10.0, " ms"), "pings: 9 ms, aim at most 10 ms", True),
        (Aim("pings", 11.0, 10.0, " ms"), "pings: 11 ms, aim at most 10 ms", False),
        (Aim("lists", 99.0, 100.0, " x", rising=True), "lists: 99 x, aim at least 100 x", False),
        (Aim("lists", 100.0, 100.0, rising=True), "lists: 100, aim at least 100", True),
    ],
)
def test_an_aim_says_what_is_required_and_whether_it_holds(
    aim: Aim, text: str, holds: bool
) -> None:
    assert (str(aim), aim.holds) == (text, holds)


def test_a_linear_curve_misses_nothing() -> None:
    assert Curve("Tools", "tool", LINEAR).missed() == []


def test_a_curve_that_grows_faster_misses_its_aim() -> None:
    assert Curve("Tools", "tool", SQUARE).missed() == [
        "Tools: the exponent of the time: 2, aim at most 1.15"
    ]


def test_a_curve_misses_its_own_aims_too() -> None:
    aims = [Aim("copies", 3.0, 1.0), Aim("more", 1.0, 1.0)]
    assert Curve("Payloads", "byte", LINEAR, aims=aims).missed() == [
        "Payloads: copies: 3, aim at most 1"
    ]


def test_the_table_of_a_curve_has_a_row_for_each_size_and_the_verdicts() -> None:
    curve = Curve("Tools", "tool", LINEAR, {"more": ["a", "b", "c"]}, [Aim("copies", 3.0, 1.0)])
    assert markdown(curve).splitlines() == [
        "### Tools",
        "",
        "| tools | time | time per tool, to the first | memory | memory per tool | more |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
        "| 10 | 500 ms | 1 x | 2 KiB | 205 B | a |",
        "| 100 | 4 s | 0.8 x | 4 KiB | 41 B | b |",
        "| 1,000 | 40 s | 0.8 x | 40 KiB | 41 B | c |",
        "",
        "- Time: linear or better, exponent 1.00",
        "- Memory: linear or better, exponent 1.00",
        "- copies: 3, aim at most 1: missed",
    ]


def test_the_table_of_a_curve_without_memory_leaves_its_cells_empty() -> None:
    lines = markdown(Curve("Tools", "tool", SQUARE)).splitlines()
    assert lines[4] == "| 10 | 1 s | 1 x |  |  |"
    assert lines[8:] == ["- Time: worse than linear, exponent 2.00"]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0, "0 ns"), (2.5e-6, "2.5 µs"), (0.0125, "12.5 ms"), (1.0, "1 s"), (1234.0, "1,234 s")],
)
def test_times_are_told_in_the_unit_that_reads_best(seconds: float, expected: str) -> None:
    assert seconds_text(seconds) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "0 B"), (1023, "1,023 B"), (1536, "1.5 KiB"), (-2048, "-2 KiB"), (3 << 20, "3 MiB")],
)
def test_memory_is_told_in_the_unit_that_reads_best(count: float, expected: str) -> None:
    assert memory_text(count) == expected


@pytest.mark.parametrize("load", [FULL, QUICK], ids=["full", "quick"])
@pytest.mark.parametrize(
    "curve",
    [
        "tools",
        "tools_listed",
        "streams",
        "payloads",
        "calls",
        "sleepers",
        "many_calls",
        "many_sessions",
    ],
)
def test_each_curve_has_four_sizes_or_more_in_ascending_order(load: Load, curve: str) -> None:
    sizes = getattr(load, curve)
    assert len(sizes) >= 4
    assert list(sizes) == sorted(set(sizes))


def test_the_right_answers_in_any_order_are_taken() -> None:
    requests = Requests(Era.MODERN)
    first, second = requests.sum("add"), requests.sum("add")
    lines = [
        b'{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"sum":1.75}}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"sum":0.5}}}',
    ]
    assert [result["structuredContent"]["sum"] for result in check([first, second], lines)] == [
        1.75,
        0.5,
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"{}"],
        [b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"sum":9}}}'],
        [b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'],
        [b'{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"sum":0.5}}}'],
        [b'{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"sum":0.5}}}'] * 2,
    ],
    ids=["none", "no message", "another sum", "an error", "another id", "one twice"],
)
def test_a_wrong_or_missing_answer_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(WrongAnswer):
        check([Requests(Era.MODERN).sum("add")], lines)


def test_a_notification_of_another_method_is_refused() -> None:
    line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
    assert notified(line, "notifications/message") == {}
    with pytest.raises(WrongAnswer):
        notified(line, "notifications/progress")
