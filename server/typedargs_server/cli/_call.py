"""`typedargs call`: arguments from the command line, the call, and its result as output."""

import sys
from collections.abc import Mapping, Sequence

import attrs
import msgspec
from msgspec import UNSET, Raw

from ._client import Client, connect
from ._errors import CommandError, UsageError
from ._schema import Argument, arguments_of
from ._text import printable, show, use_any_encoding
from ._tools import read_tools
from ._wire import CallResult, Content, compact, indented


def call_tool(
    file: str | None,
    command: Sequence[str] | None,
    timeout: float,
    tool: str,
    words: Sequence[str],
    json: str | None,
) -> int:
    """Call `tool` with the arguments `words`, or with the object `json`, and print the result.

    Returns the exit status: 1 if the tool answers with an error.
    """
    use_any_encoding()
    given = parse_words(words)
    if json is not None and given:
        raise UsageError("arguments are given as --json or as key=value, not as both")
    whole = None if json is None else parse_object(json)
    with connect(file, command, timeout, told_as="call") as client:
        if whole is None:
            whole = _filled_in(client, tool, given) if given else Raw(b"{}")
        result = client.call(tool, whole)
        output = result_text(result)
        if result.is_error:
            print(output or f"{tool} answered with an error and no text", file=sys.stderr)
        elif output:
            show(output)
    return int(result.is_error)


@attrs.frozen
class Given:
    """One argument as it stands on the command line: `key=text`, or `key:=text` for JSON."""

    text: str
    is_json: bool


def parse_words(words: Sequence[str]) -> dict[str, Given]:
    """Return the arguments by their names. Raises UsageError for what is none, and for a repeat."""
    given: dict[str, Given] = {}
    for word in words:
        key, equals, text = word.partition("=")
        is_json = key.endswith(":")
        key = key.removesuffix(":")
        if not equals or not key:
            raise UsageError(f"expected key=value or key:=json, got {word!r}")
        if key in given:
            raise UsageError(f"{key} is given twice; an array is given as {key}='[...]'")
        given[key] = Given(text, is_json)
    return given


def parse_object(text: str) -> Raw:
    """Return the JSON object `text`, or for `-` the one on stdin. Raises UsageError for others."""
    data = sys.stdin.buffer.read() if text == "-" else text
    try:
        raw = compact(data)
    except ValueError as error:
        raise UsageError(f"--json is not JSON: {error}") from None
    if not bytes(raw).startswith(b"{"):
        raise UsageError("--json has to be an object, such as '{\"a\": 2}'")
    return raw


def _filled_in(client: Client, tool: str, given: Mapping[str, Given]) -> Raw:
    tools = {each.name: each for each in read_tools(client.tools())}
    if tool not in tools:
        names = printable(", ".join(tools)) or "none"
        raise CommandError(f"the server has no tool {tool!r}; it has: {names}")
    declared = {each.name: each for each in arguments_of(tools[tool].input_schema)}
    return Raw(
        msgspec.json.encode(
            {key: typed(key, each, declared.get(key)) for key, each in given.items()}
        )
    )


def typed(key: str, given: Given, argument: Argument | None) -> Raw:
    """Return the JSON that stands for what is `given` for an argument of the tool's schema.

    Text is a string wherever the schema allows one or does not say, and JSON elsewhere. What is no
    JSON is sent as a string, and the server explains; for an array or an object it raises
    UsageError, as it does for `key:=text`.
    """
    kinds = argument.kinds if argument else frozenset[str]()
    if given.is_json or (kinds and "string" not in kinds):
        try:
            return compact(given.text)
        except ValueError as error:
            if given.is_json:
                raise UsageError(f"{key} is not JSON: {error}") from None
            if kinds & {"array", "object"}:
                expected = " or ".join(sorted(kinds))
                raise UsageError(f"{key} takes JSON ({expected}): {error}") from None
    try:
        return Raw(msgspec.json.encode(given.text))
    except UnicodeEncodeError:
        raise UsageError(f"{key} is not UTF-8") from None


def result_text(result: CallResult) -> str:
    """Return what a result shows: its structured content as indented JSON, or else its text.

    An error is shown as its text where it has any.
    """
    structured = result.structured_content
    text = "\n".join(_block_text(block) for block in result.content)
    if structured is UNSET or bytes(structured) == b"null" or (result.is_error and text):
        return text
    return indented(structured)


def _block_text(block: Content) -> str:
    resource = block.resource
    if block.text is not None:
        return block.text
    if resource is not None:
        return resource.text if resource.text is not None else f"[resource {resource.uri}]"
    if block.uri is not None:
        return block.uri
    details = [block.type]
    if block.mime_type is not None:
        details.append(block.mime_type)
    if block.data is not None:
        details.append(f"{len(block.data) * 3 // 4} bytes")
    return f"[{', '.join(details)}]"
