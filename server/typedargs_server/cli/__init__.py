"""The `typedargs` command: the command line itself, and which module carries out what.

Start-up is part of every call of a tool, so only what the chosen sub-command needs is imported;
`run` in particular knows nothing of the client.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ._errors import CommandError, UsageError

__all__ = ["DEFAULT_TIMEOUT", "main"]

DEFAULT_TIMEOUT: Final = 60.0
"""Seconds that `tools` and `call` wait for each answer of the server."""

_INTERRUPTED: Final = 130

_WORDS: Final[Mapping[str, Sequence[str]]] = {
    "run": ["FILE"],
    "tools": ["FILE"],
    "call": ["FILE", "TOOL"],
    "schema": ["FILE"],
    "diff": ["OLD", "NEW"],
    "check": ["FILE"],
}
"""What each command expects; a server's command line stands for FILE, or for NEW."""

_FILE_HELP: Final = "a .py file or a module, with :OBJECT where it holds several servers"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default the process's own, and return its exit status.

    0: done. 1: the tool answered with an error, or the server failed. 2: the command line is
    wrong. 130: interrupted.
    """
    words, command = _split(sys.argv[1:] if argv is None else argv)
    try:
        options = _parse(words, command)
    except SystemExit as exited:  # argparse has shown its message, or the help
        return exited.code if isinstance(exited.code, int) else UsageError.status
    try:
        return _COMMANDS[options.command](options)
    except CommandError as error:
        if str(error):
            print(f"typedargs {options.told_as}: {error}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return 1  # whoever read our output has gone, as with `| head`


def _split(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Return the words before the first `--`, and the command line after it, if there is one."""
    words = list(argv)
    if "--" not in words:
        return words, None
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _parse(words: list[str], server_command: list[str] | None) -> argparse.Namespace:
    parser, parsers = _parsers()
    if not words or words[0] not in parsers:
        parser.parse_args(words)
        parser.error(f"expected a command: {_alternatives(list(parsers))}")
    chosen = parsers[words[0]]
    chosen.set_defaults(told_as=words[0])
    # Unlike sub-parsers, this lets options stand between a tool's arguments.
    options = chosen.parse_intermixed_args(words[1:])
    options.command = words[0]
    options.server_command = server_command
    _check(chosen, options)
    return options


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    words: list[str] = options.words
    foreign = options.server_command is not None
    if foreign and options.command == "run":
        parser.error("there is nothing to run after --: run serves a FILE")
    if foreign and not options.server_command:
        parser.error("expected a server's command line after --")
    if (
        options.command == "run"
        and not options.http
        and (options.host is not None or options.port is not None or options.allow_host)
    ):
        parser.error("--host, --port and --allow-host are for --http")
    expected = list(_WORDS[options.command])
    if foreign:
        expected.remove("NEW" if "NEW" in expected else "FILE")
    if len(words) < len(expected):
        parser.error(f"expected {' and '.join(expected[len(words) :])}")
    if len(words) > len(expected) and options.command != "call":
        parser.error(f"did not expect {words[len(expected)]!r}")
    options.file = words.pop(0) if "FILE" in expected else None


def _alternatives(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _parsers() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    parser = argparse.ArgumentParser(
        prog="typedargs",
        description="Serve MCP tools, list them, call them, and hold them to their contract.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(name: str, usage: str, about: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            usage=usage,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            allow_abbrev=False,
        )
        made.add_argument("words", nargs="*", help=argparse.SUPPRESS)
        return made

    run = command(
        "run",
        "typedargs run FILE[:OBJECT]\n"
        "       typedargs run --http [--host HOST] [--port PORT] [--allow-host NAME] FILE[:OBJECT]",
        "serve a file's MCPServer over stdio, or by HTTP",
    )
    run.add_argument("--http", action="store_true", help="serve by Streamable HTTP, at /mcp")
    run.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="a name by which the server may be called, beside localhost and IP addresses",
    )
    run.add_argument("--host", help="the address to serve at (default: 127.0.0.1)")
    run.add_argument("--port", type=_port, help="the port; 0 is any free one (default: 8000)")
    run.epilog = f"FILE is {_FILE_HELP}."
    run.add_argument("--told-as", help=argparse.SUPPRESS)  # the command that serves FILE by this
    tools = command(
        "tools",
        "typedargs tools [--json] [--timeout SECONDS] FILE[:OBJECT]\n"
        "       typedargs tools [--json] [--timeout SECONDS] -- COMMAND ...",
        "list a server's tools and their arguments",
    )
    tools.add_argument("--json", action="store_true", help="print the list as the server sent it")
    call = command(
        "call",
        "typedargs call [--timeout SECONDS] FILE[:OBJECT] TOOL [key=value | key:=json ...]\n"
        "       typedargs call [--timeout SECONDS] FILE[:OBJECT] TOOL --json '{...}'\n"
        "       typedargs call [--timeout SECONDS] TOOL [key=value ...] -- COMMAND ...",
        "call a tool and print its result",
    )
    call.add_argument("--json", metavar="OBJECT", help="all arguments as JSON; - reads stdin")
    schema, diff, check = _contract_parsers(command)
    for client in (tools, call, schema, diff, check):
        client.epilog = f"FILE is {_FILE_HELP}; COMMAND starts any other MCP server on stdio."
        client.add_argument(
            "--timeout",
            type=_seconds,
            default=DEFAULT_TIMEOUT,
            metavar="SECONDS",
            help="how long to wait for each answer (default: %(default)g)",
        )
    return parser, {
        "run": run,
        "tools": tools,
        "call": call,
        "schema": schema,
        "diff": diff,
        "check": check,
    }


def _contract_parsers(
    command: Callable[[str, str, str], argparse.ArgumentParser],
) -> Sequence[argparse.ArgumentParser]:
    schema = command(
        "schema",
        "typedargs schema FILE[:OBJECT] > tools.lock.json\n"
        "       typedargs schema -- COMMAND ... > tools.lock.json",
        "print a server's tools as a file to keep",
    )
    diff = command(
        "diff",
        "typedargs diff [--json] [--lenient] OLD NEW\n"
        "       typedargs diff [--json] [--lenient] OLD -- COMMAND ...",
        "say what changed in a server's tools, and what it breaks",
    )
    diff.add_argument("--json", action="store_true", help="print the changes as JSON")
    diff.add_argument("--lenient", action="store_true", help="what may break something is no break")
    check = command(
        "check",
        "typedargs check [--for NAME,...] [--json] FILE[:OBJECT]\n"
        "       typedargs check [--for NAME,...] [--json] -- COMMAND ...",
        "say what providers and clients refuse or drop in a server's tools",
    )
    check.add_argument(
        "--for",
        dest="providers",
        metavar="NAME,...",
        help="openai, anthropic, gemini, vscode, openai-strict, anthropic-strict "
        "(default: the first four)",
    )
    check.add_argument("--json", action="store_true", help="print the findings as JSON")
    return schema, diff, check


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e6:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text!r}")
    return seconds


def _port(text: str) -> int:
    if not (text.isdecimal() and len(text) < 6 and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"expected a port, from 0 to 65535, got {text!r}")
    return int(text)


class _Version(argparse.Action):
    """Looks the version up only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from ._text import installed_version

        print(f"typedargs {installed_version()}")
        parser.exit()


def _run(options: argparse.Namespace) -> int:
    from ._load import load_server

    server = load_server(options.file)
    if not options.http:
        server.run()
        return 0
    from typedargs_server import HttpSettings

    server.run(
        http=HttpSettings(allowed_hosts=options.allow_host or ()),
        host=options.host,
        port=options.port,
    )
    return 0


def _tools(options: argparse.Namespace) -> int:
    from ._tools import list_tools

    return list_tools(options.file, options.server_command, options.timeout, as_json=options.json)


def _call(options: argparse.Namespace) -> int:
    from ._call import call_tool

    tool, *words = options.words
    return call_tool(
        options.file, options.server_command, options.timeout, tool, words, options.json
    )


def _schema(options: argparse.Namespace) -> int:
    from ._contract import print_schema

    return print_schema(options.file, options.server_command, options.timeout)


def _diff(options: argparse.Namespace) -> int:
    from ._contract import print_diff

    old, *new = options.words
    return print_diff(
        old,
        new[0] if new else None,
        options.server_command,
        options.timeout,
        as_json=options.json,
        lenient=options.lenient,
    )


def _check_providers(options: argparse.Namespace) -> int:
    from ._check import print_check

    return print_check(
        options.file,
        options.server_command,
        options.timeout,
        options.providers,
        as_json=options.json,
    )


_COMMANDS: Final[Mapping[str, Callable[[argparse.Namespace], int]]] = {
    "run": _run,
    "tools": _tools,
    "call": _call,
    "schema": _schema,
    "diff": _diff,
    "check": _check_providers,
}
