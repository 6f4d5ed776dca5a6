"""How much is measured: the sizes of each curve, and how often each is measured."""

from typing import Final

import attrs

Sizes = tuple[int, ...]


@attrs.frozen(kw_only=True)
class Load:
    """The sizes of each curve, ascending, and how often each is measured."""

    rounds: int
    """Repetitions, at least; what takes little time is repeated more often."""
    tools: Sizes
    tools_rounds: int
    """Processes for each number of tools."""
    tools_listed: Sizes
    """Numbers of tools that are listed unchanged; of the last ones beside `mcp`."""
    peer_rounds: int
    """Processes of `mcp`, each beside one of ours."""
    streams: Sizes
    payloads: Sizes
    """Bytes of JSON."""
    calls: Sizes
    sleepers: Sizes
    sleep_rounds: int
    """How often so many calls sleep at once."""
    many_calls: Sizes
    """The second is the warm-up, here and next."""
    many_sessions: Sizes


FULL: Final = Load(
    rounds=7,
    tools=(10, 100, 1_000, 10_000),
    tools_rounds=3,
    tools_listed=(1, 10, 100, 1_000),
    peer_rounds=3,
    streams=(1, 10, 100, 1_000),
    payloads=(10_000, 100_000, 1_000_000, 10_000_000),
    calls=(10, 100, 1_000, 4_000),
    sleepers=(1, 10, 40, 100),
    sleep_rounds=20,
    many_calls=(1_000, 10_000, 100_000, 1_000_000),
    many_sessions=(10, 100, 1_000, 10_000),
)
QUICK: Final = Load(
    rounds=3,
    tools=(1, 10, 100, 1_000),
    tools_rounds=1,
    tools_listed=(1, 10, 100, 1_000),
    peer_rounds=1,
    streams=(1, 10, 30, 300),
    payloads=(1_000, 10_000, 100_000, 1_000_000),
    calls=(4, 40, 400, 4_000),
    sleepers=(1, 10, 40, 100),
    sleep_rounds=1,
    many_calls=(1_000, 5_000, 20_000, 30_000),
    many_sessions=(10, 100, 200, 500),
)
