"""Chunks to lines, without IO."""

import pytest

from typedargs_server.transports._lines import TOO_LONG, Line, LineSplitter


def split(data: bytes, size: int, max_bytes: int = 8) -> list[Line]:
    """The lines of `data`, which comes in chunks of `size` bytes; no blank ones, and no ends."""
    splitter = LineSplitter(max_bytes)
    lines: list[Line] = []
    for start in range(0, len(data), size):
        lines += splitter.feed(data[start : start + size])
    lines += splitter.end()
    assert b"" not in lines
    return [
        line if isinstance(line, str) else line.removesuffix(b"\n")
        for line in lines
        if not line.isspace()
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"a\n", [b"a"], id="one line"),
        pytest.param(b"a\nbc\n", [b"a", b"bc"], id="two lines"),
        pytest.param(b"a\nbc", [b"a", b"bc"], id="a last line without its end"),
        pytest.param(b"a\r\nb\r\n", [b"a\r", b"b\r"], id="CRLF, whose CR JSON ignores"),
        pytest.param(b"\n\r\n \t\na\n\n", [b"a"], id="blank lines"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", [b"a", b"b"], id="a BOM"),
        pytest.param(b"\xef\xbb\xbf\na\n", [b"a"], id="a BOM alone in its line"),
        pytest.param(b"\xef\xbb\xbf", [], id="a BOM alone"),
        pytest.param(b"a\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"], id="a BOM later on"),
        pytest.param(b"12345678\na\n", [b"12345678", b"a"], id="as long as may be"),
        pytest.param(b"123456789\na\n", [TOO_LONG, b"a"], id="one byte too long"),
        pytest.param(b"1234567890123\n\na\n", [TOO_LONG, b"a"], id="far too long"),
        pytest.param(b"a\n123456789", [b"a", TOO_LONG], id="too long and without its end"),
        pytest.param(b"         \na\n", [TOO_LONG, b"a"], id="blank and too long"),
        pytest.param(b"a\x0bb\x0cc\x85\n", [b"a\x0bb\x0cc\x85"], id="line ends of other systems"),
    ],
)
def test_lines_come_out_whole_however_they_come_in(
    data: bytes, lines: list[Line], size: int
) -> None:
    assert split(data, size) == lines


def test_a_line_comes_out_as_soon_as_it_ends() -> None:
    splitter = LineSplitter(8)
    assert splitter.feed(b"a\nb") == [b"a"]
    assert splitter.feed(b"c") == []
    assert splitter.feed(b"\nd\n") == [b"bc", b"d\n"]
    assert splitter.end() == []
