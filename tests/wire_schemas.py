"""The wire schemas of MCP: what every message that the server writes is checked against.

Found in the directory that MCP_SCHEMA_DIR names (files `<revision>.json`), else in the npm package
`@modelcontextprotocol/conformance`, which the interop tests install.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from tests.interop import node


@cache
def load(revision: str) -> dict[str, Any]:
    """The JSON Schema of a protocol revision, `2025-11-25` or `2026-07-28`; not to be changed.

    Raises FileNotFoundError when MCP_SCHEMA_DIR holds no such file, KeyError when the package has
    no such revision, NodeError when the package cannot be had.
    """
    folder = os.environ.get("MCP_SCHEMA_DIR")
    if folder:
        schema: dict[str, Any] = json.loads(
            (Path(folder) / f"{revision}.json").read_text(encoding="utf-8")
        )
    else:
        schema = _packaged()[revision]
    return _corrected(schema)


@cache
def _packaged() -> dict[str, dict[str, Any]]:
    schemas: dict[str, dict[str, Any]] = json.loads(node.run("wire_schemas.mjs"))
    return schemas


def _corrected(schema: dict[str, Any]) -> dict[str, Any]:
    """Some copies of 2025-11-25 restrict the bounds of an elicited number to integers.

    The specification's text says `number`; the schema was corrected after that revision's release.
    """
    for keyword in ("default", "minimum", "maximum"):
        schema["$defs"]["NumberSchema"]["properties"][keyword]["type"] = "number"
    return schema
