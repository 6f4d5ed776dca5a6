"""Which era a server is of, by its answer to `server/discover`."""

from typing import Any

import msgspec
import pytest

from typedargs_server.cli._errors import CommandError
from typedargs_server.cli._opening import Era, era_of
from typedargs_server.cli._wire import Message
from typedargs_server.eras import versions

UNKNOWN = "1900-01-01"


def error(code: int, data: Any = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": "no", "data": data}}


def discovered(*supported: str) -> dict[str, Any]:
    return {"result": {"supportedVersions": supported, "capabilities": {}}}


def answer(outcome: dict[str, Any]) -> Message:
    return msgspec.json.decode(msgspec.json.encode({"id": 1, **outcome}), type=Message)


@pytest.mark.parametrize(
    ("outcome", "era"),
    [
        (discovered(versions.MODERN), Era.MODERN),
        (discovered(UNKNOWN, *versions.SUPPORTED), Era.MODERN),
        (discovered(UNKNOWN, versions.LEGACY[-1]), Era.LEGACY),
        (error(-32022, {"supported": [versions.MODERN]}), Era.MODERN),
        (error(-32022, {"supported": [versions.LATEST_LEGACY]}), Era.LEGACY),
        (error(-32021, {"requiredCapabilities": {}}), Era.MODERN),
        (error(-32020), Era.MODERN),
        (error(-32601), Era.LEGACY),
        (error(-32602), Era.LEGACY),
        (error(-32700), Era.LEGACY),
        (error(0), Era.LEGACY),
        (error(-32022, "no list"), Era.LEGACY),
        ({"result": {}}, Era.LEGACY),
        ({"result": None}, Era.LEGACY),
    ],
)
def test_only_what_a_modern_server_says_makes_a_server_modern(
    outcome: dict[str, Any], era: Era
) -> None:
    assert era_of(answer(outcome)) is era


def test_a_server_that_does_not_answer_is_legacy() -> None:
    assert era_of(None) is Era.LEGACY


@pytest.mark.parametrize("outcome", [discovered(UNKNOWN), error(-32022, {"supported": [UNKNOWN]})])
def test_a_server_without_a_common_revision_is_refused_with_both_lists(
    outcome: dict[str, Any],
) -> None:
    with pytest.raises(CommandError) as caught:
        era_of(answer(outcome))
    assert str(caught.value) == (
        f"the server speaks {UNKNOWN} of the protocol; "
        f"this command speaks {', '.join(versions.SUPPORTED)}"
    )
