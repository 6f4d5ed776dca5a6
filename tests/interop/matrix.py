"""The matrix of features, clients, transports and eras: which cells there are, and how each is run.

Each client is a process of its own that takes the steps of all features on one connection, to a
server of its own. What a client or an era adds to an outcome is taken out here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from tests.interop import node
from tests.interop.everything import SERVER, serving
from tests.interop.features import (
    FEATURES,
    LEGACY,
    MODERN,
    Connection,
    Era,
    Feature,
    Transport,
)

JSON = dict[str, Any]

HERE: Final = Path(__file__).parent
TRANSPORTS: Final[tuple[Transport, ...]] = ("stdio", "HTTP")
RESERVED: Final = "io.modelcontextprotocol/"
# What a modern result says of itself, which some clients hand on and others do not.
ENVELOPE: Final = ("resultType", "ttlMs", "cacheScope")


@attrs.frozen
class Client:
    """A client in one era: its driver and what the driver is told."""

    name: str
    library: str
    era: Era
    driver: str
    mode: str

    def __str__(self) -> str:
        return self.name


CLIENTS: Final = (
    Client("mcp-modern", "mcp", MODERN, "everything_mcp.py", "modern"),
    Client("mcp-legacy", "mcp", LEGACY, "everything_mcp.py", "legacy"),
    Client("fastmcp-modern", "fastmcp", MODERN, "everything_fastmcp.py", "modern"),
    Client("fastmcp-legacy", "fastmcp", LEGACY, "everything_fastmcp.py", "legacy"),
    Client(
        "typescript-modern",
        "@modelcontextprotocol/client",
        MODERN,
        "everything_typescript.mjs",
        "modern",
    ),
    Client(
        "typescript-legacy",
        "@modelcontextprotocol/client",
        LEGACY,
        "everything_typescript.mjs",
        "legacy",
    ),
    Client("typescript-v1", "@modelcontextprotocol/sdk", LEGACY, "everything_typescript.mjs", "v1"),
)


@attrs.frozen
class Gap:
    """What a client has no API for; its driver reports the same."""

    client: str
    features: tuple[str, ...]
    reason: str


GAPS: Final = (
    Gap(
        "fastmcp-modern",
        ("resource-updated", "tools-changed", "prompts-changed"),
        "fastmcp.Client has no listen",
    ),
    Gap("fastmcp-legacy", ("resource-updated",), "fastmcp.Client has no subscribe_resource"),
)


def gap(feature: Feature, client: Client) -> Gap | None:
    """Why a client cannot take the step of a feature; None where it can."""
    for found in GAPS:
        if found.client == client.name and feature.name in found.features:
            return found
    return None


def is_offered(feature: Feature, client: Client, transport: Transport) -> bool:
    """Whether the revision and the transport have the feature at all."""
    return client.era in feature.eras and transport in feature.transports


def cells() -> Iterator[tuple[Client, Transport, Feature]]:
    """Every cell of the matrix that a test stands for."""
    for client in CLIENTS:
        for transport in TRANSPORTS:
            for feature in FEATURES:
                if is_offered(feature, client, transport):
                    yield client, transport, feature


def expected(feature: Feature, client: Client, transport: Transport) -> JSON:
    """The outcome that the cell promises."""
    found = gap(feature, client)
    if found is not None:
        return {"absent": found.reason}
    return feature.expected(Connection(client.library, client.era, transport))


def drive(client: Client, transport: Transport) -> dict[str, JSON]:
    """The outcome of each feature with a client that is connected by a transport.

    Raises AssertionError, with what the processes wrote to stderr, when the driver fails.
    """
    offered = [feature for feature in FEATURES if is_offered(feature, client, transport)]
    steps = [{"feature": feature.name, **feature.step} for feature in offered]
    with connectable(transport) as server:
        done = subprocess.run(
            [*_interpreter(client), str(HERE / "clients" / client.driver), client.mode, *server],
            input=json.dumps(steps),
            capture_output=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )
    assert done.returncode == 0, f"{client} failed with status {done.returncode}:\n{done.stderr}"
    outcomes = json.loads(done.stdout)
    return {feature.name: _plain(outcomes[feature.name], feature) for feature in offered}


@contextmanager
def connectable(transport: Transport) -> Iterator[list[str]]:
    """Give what a driver connects to: the command of the server, or the URL of one that runs."""
    if transport == "stdio":
        yield [sys.executable, str(SERVER)]
        return
    with serving([]) as url:
        yield [url]


def _interpreter(client: Client) -> list[str]:
    if client.driver.endswith(".mjs"):
        node.install_packages()
        return [node.executable()]
    return [sys.executable]


def _plain(outcome: JSON, feature: Feature) -> JSON:
    """An outcome without what the client or the era adds to it."""
    plain: JSON = {**outcome}
    if feature.step["do"] == "list" and "result" in plain:
        plain["result"] = list(_listed(plain["result"], **feature.step))
    if "asked" in plain:  # several at once may come in any order
        plain["asked"] = sorted(
            ([method, _question(params)] for method, params in plain["asked"]),
            key=lambda one: one[0],
        )
    for part in ("result", "error"):
        if isinstance(plain.get(part), dict):
            plain[part] = _result(plain[part])
    return plain


def _listed(
    items: list[JSON], *, keep: list[str] | None = None, only: str | None = None, **_step: Any
) -> Iterator[JSON]:
    """The items of a list that a feature looks at, with what it looks at of each."""
    for item in items:
        if only in (None, item.get("name")):
            yield {key: part for key, part in item.items() if keep is None or key in keep}


def _result(seen: JSON) -> JSON:
    result = {key: part for key, part in seen.items() if key not in ENVELOPE and part is not None}
    if "content" in result:
        result.setdefault("isError", False)
    meta = {key: part for key, part in result.pop("_meta", {}).items() if RESERVED not in key}
    return {**result, "_meta": meta} if meta else result


def _question(params: JSON) -> JSON:
    """A question without its mode, which some clients add, and what belongs to its request."""
    return {key: part for key, part in params.items() if key not in ("mode", "_meta")}
