"""What every example is to a client: its tools, and what its calls give, value by value."""

from __future__ import annotations

from typing import Any

import attrs

JSON = dict[str, Any]


@attrs.frozen
class Example:
    """A file of the examples: its server, its tools, and calls `(tool, arguments, result)`."""

    file: str
    server: JSON
    tools: list[JSON]
    calls: list[tuple[str, JSON, JSON]]

    def __str__(self) -> str:
        return self.file


def text(shown: str) -> JSON:
    return {"content": [{"type": "text", "text": shown}], "isError": False}


def structured(value: JSON, shown: str) -> JSON:
    return {**text(shown), "structuredContent": value}


def failed(shown: str, *faults: JSON) -> JSON:
    result = {**text(shown), "isError": True}
    return {**result, "_meta": {"typedargs/faults": list(faults)}} if faults else result


def invalid(tool: str, *misfits: JSON, note: str | None = None) -> JSON:
    lines = [f'Invalid arguments for tool "{tool}":']
    lines += [f"{misfit['path']}: {misfit['message']}" for misfit in misfits]
    return failed("\n".join([*lines, *([note] if note else [])]), *misfits)


def misfit(path: str, keyword: str, expected: str, message: str) -> JSON:
    return {
        "code": "invalid_arguments",
        "path": path,
        "keyword": keyword,
        "expected": expected,
        "message": message,
        "retryable": False,
    }


def server_fault(tool: str) -> JSON:
    message = f'Tool "{tool}" failed. The server\'s log says why.'
    fault = {"code": "internal_error", "path": "", "expected": "", "retryable": False}
    return failed(message, {**fault, "message": message})


def unknown_tool(name: str) -> JSON:
    return {"error": {"code": -32602, "message": f"Unknown tool: {name}"}}


NUMBERS: JSON = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}
OPERANDS: JSON = {
    "type": "object",
    "properties": {
        "a": {"type": "number", "description": "Left operand"},
        "b": {"type": "number", "description": "Right operand"},
    },
    "required": ["a", "b"],
}
SUM: JSON = {
    "type": "object",
    "properties": {"sum": {"type": "number", "description": "The sum"}},
    "required": ["sum"],
}

DECIMAL: JSON = {
    "type": ["string", "number"],
    "pattern": "^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)$",
}
ORDER: JSON = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "article": {
                        "type": "object",
                        "properties": {
                            "sku": {
                                "type": "string",
                                "description": "As in ABC-1",
                                "pattern": "^[A-Z]{3}-[0-9]+$",
                            },
                            "price": {**DECIMAL, "description": "In euros, for one"},
                            "color": {"type": "string", "enum": ["red", "green", "blue"]},
                        },
                        "required": ["sku", "price"],
                    },
                    "count": {"type": "integer", "minimum": 1, "default": 1},
                },
                "required": ["article"],
            },
            "minItems": 1,
        },
        "delivery": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {
                        "by": {"const": "parcel"},
                        "street": {"type": "string"},
                        "city": {"type": "string"},
                    },
                    "required": ["by", "street", "city"],
                },
                {
                    "type": "object",
                    "properties": {
                        "by": {"const": "pick-up"},
                        "on": {
                            "type": "string",
                            "description": "The day when it is fetched",
                            "format": "date",
                        },
                    },
                    "required": ["by", "on"],
                },
            ]
        },
        "note": {"type": "string", "description": "For the packer", "maxLength": 200},
    },
    "required": ["lines", "delivery"],
}

EXAMPLES = [
    Example(
        "add_text.py",
        server={"name": "add-text", "version": "1.0.0"},
        tools=[
            {
                "name": "add",
                "description": "Add two numbers",
                "inputSchema": NUMBERS,
            }
        ],
        calls=[
            ("add", {"a": 1, "b": 2.5}, text("3.5")),
            (
                "add",
                {"a": "1", "b": True},
                invalid(
                    "add",
                    misfit("a", "type", "number", 'expected number, got string "1"'),
                    misfit("b", "type", "number", "expected number, got boolean true"),
                ),
            ),
            (
                "add",
                {"a": 1, "c": 2},
                invalid(
                    "add",
                    misfit("b", "required", "number", "missing; expected number"),
                    note='ignored unknown key: "c"',
                ),
            ),
            ("subtract", {}, unknown_tool("subtract")),
        ],
    ),
    Example(
        "add_result.py",
        server={"name": "add-result", "version": "1.0.0"},
        tools=[
            {
                "name": "add",
                "description": "Add two numbers",
                "inputSchema": OPERANDS,
                "outputSchema": SUM,
            },
            {
                "name": "add_in_words",
                "description": "Add two numbers, and say so",
                "inputSchema": OPERANDS,
                "outputSchema": SUM,
            },
        ],
        calls=[
            ("add", {"a": 1, "b": 2}, structured({"sum": 3.0}, '{"sum":3.0}')),
            ("add", {"a": 0.5, "b": 2}, structured({"sum": 2.5}, '{"sum":2.5}')),
            ("add_in_words", {"a": 1.5, "b": 2}, structured({"sum": 3.5}, "The sum is 3.5")),
            # JSON has no number for the infinite sum of these two.
            ("add", {"a": 1e308, "b": 1e308}, server_fault("add")),
        ],
    ),
    Example(
        "search.py",
        server={"name": "search", "version": "1.0.0"},
        tools=[
            {
                "name": "search",
                "description": "Search the product catalog",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "Search terms"},
                        "limit": {
                            "type": "integer",
                            "description": "Maximum results",
                            "minimum": 1,
                        },
                    },
                    "required": ["query"],
                },
            }
        ],
        calls=[
            ("search", {"query": "shoe"}, text("red shoe\nblue shoe")),
            ("search", {"query": "shoe", "limit": 1}, text("red shoe")),
            ("search", {"query": "coat", "limt": 1}, text("nothing found")),
            (
                "search",
                {"query": "shoe", "limit": None},
                invalid(
                    "search",
                    misfit(
                        "limit",
                        "type",
                        "integer",
                        "expected integer, got null; leave the key out instead",
                    ),
                ),
            ),
            (
                "search",
                {"limit": 0},
                invalid(
                    "search",
                    misfit("query", "required", "string", "missing; expected string"),
                    misfit("limit", "minimum", "at least 1", "expected at least 1, got number 0"),
                ),
            ),
        ],
    ),
    Example(
        "two_schemas.py",
        server={"name": "two-schemas", "version": "1.0.0"},
        tools=[
            {
                "name": "add",
                "description": "Add two numbers",
                "inputSchema": NUMBERS,
                "outputSchema": {
                    "type": "object",
                    "properties": {"sum": {"type": "number", "description": "The result"}},
                    "required": ["sum"],
                },
            }
        ],
        calls=[
            ("add", {"a": 1, "b": 2}, structured({"sum": 3.0}, '{"sum":3.0}')),
            ("add", {"a": 0.5, "b": 2}, structured({"sum": 2.5}, '{"sum":2.5}')),
            (
                "add",
                {"a": [1]},
                invalid(
                    "add",
                    misfit("a", "type", "number", "expected number, got array [1]"),
                    misfit("b", "required", "number", "missing; expected number"),
                ),
            ),
        ],
    ),
    Example(
        "greet_user.py",
        server={"name": "greet-user", "version": "1.0.0"},
        tools=[
            {
                "name": "greet_user",
                "description": "Greet a person",
                "inputSchema": {"type": "object"},
            }
        ],
        calls=[
            ("greet_user", {"name": "Zoë"}, text("Hello, Zoë!")),
            ("greet_user", {}, text("Hello, stranger!")),
        ],
    ),
    Example(
        "order_raw.py",
        server={"name": "order-raw", "version": "1.0.0"},
        tools=[
            {
                "name": "order",
                "description": "Place an order",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "items": {
                            "type": "array",
                            "minItems": 1,
                            "items": {"$ref": "#/$defs/item"},
                        },
                        "deliver_to": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/address"}]},
                    },
                    "required": ["items"],
                    "$defs": {
                        "item": {
                            "type": "object",
                            "properties": {
                                "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"},
                                "count": {"type": "integer", "minimum": 1},
                            },
                            "required": ["sku", "count"],
                        },
                        "address": {
                            "type": "object",
                            "properties": {
                                "street": {"type": "string"},
                                "city": {"type": "string"},
                            },
                            "required": ["street", "city"],
                        },
                    },
                },
            }
        ],
        calls=[
            (
                "order",
                {"items": [{"sku": "ABC-1", "count": 2}, {"sku": "DEF-2", "count": 1}]},
                text("Ordered 3 pieces"),
            ),
            (
                "order",
                {"items": [{"sku": "ABC-1", "count": 1}, {"sku": "DEF-2", "count": 0}]},
                failed("items[1]: expected a sku like ABC-1 and a count of at least 1"),
            ),
            (
                "order",
                {"items": [{"sku": 7, "count": "x"}], "deliver_to": {"street": "Elm"}},
                failed(
                    "items[0]: expected a sku like ABC-1 and a count of at least 1\n"
                    "deliver_to: expected a name, or an object with street and city"
                ),
            ),
            ("order", {}, failed("items: expected at least one item")),
        ],
    ),
    Example(
        "paint.py",
        server={"name": "paint", "version": "1.0.0"},
        tools=[
            {
                "name": "paint",
                "description": "Paint a wall.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "color": {
                            "type": "string",
                            "description": "The colour of the wall",
                            "enum": ["RED", "GREEN", "BLUE"],
                        },
                        "finish": {
                            "type": "string",
                            "enum": ["matt", "gloss"],
                            "default": "matt",
                        },
                    },
                    "required": ["color"],
                },
            }
        ],
        calls=[
            ("paint", {"color": "RED"}, text("The wall is #ff0000, matt")),
            ("paint", {"color": "BLUE", "finish": "gloss"}, text("The wall is #0000ff, gloss")),
            (
                "paint",
                {"color": "#ff0000", "finish": "satin"},
                invalid(
                    "paint",
                    misfit(
                        "color",
                        "enum",
                        'one of "RED", "GREEN", "BLUE"',
                        'expected one of "RED", "GREEN", "BLUE", got string "#ff0000"',
                    ),
                    misfit(
                        "finish",
                        "enum",
                        'one of "matt", "gloss"',
                        'expected one of "matt", "gloss", got string "satin"',
                    ),
                ),
            ),
        ],
    ),
    Example(
        "repeat.py",
        server={"name": "repeat", "version": "1.0.0"},
        tools=[
            {
                "name": "repeat",
                "description": "Repeat a text.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "text": {
                            "type": "string",
                            "description": "What to repeat",
                            "minLength": 1,
                        },
                        "times": {"type": "integer", "default": 2, "minimum": 1, "maximum": 10},
                        "separator": {
                            "type": "string",
                            "description": "What to put between; nothing if left out",
                        },
                    },
                    "required": ["text"],
                },
                "outputSchema": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "separator_given": {"type": "string"},
                    },
                    "required": ["text"],
                },
            }
        ],
        calls=[
            ("repeat", {"text": "ho"}, structured({"text": "hoho"}, '{"text":"hoho"}')),
            (
                "repeat",
                {"text": "ho", "times": 3.0, "separator": "-"},
                structured(
                    {"text": "ho-ho-ho", "separator_given": "-"},
                    '{"text":"ho-ho-ho","separator_given":"-"}',
                ),
            ),
            (
                "repeat",
                {"text": "", "times": 11, "separator": None},
                invalid(
                    "repeat",
                    misfit(
                        "text",
                        "minLength",
                        "at least 1 character",
                        'expected at least 1 character, got string ""',
                    ),
                    misfit("times", "maximum", "at most 10", "expected at most 10, got number 11"),
                    misfit(
                        "separator",
                        "type",
                        "string",
                        "expected string, got null; leave the key out instead",
                    ),
                ),
            ),
        ],
    ),
    Example(
        "order.py",
        server={"name": "order", "version": "1.0.0"},
        tools=[
            {
                "name": "order",
                "description": "Place an order.",
                "inputSchema": ORDER,
                "outputSchema": {
                    "type": "object",
                    "properties": {
                        "total": DECIMAL,
                        "pieces": {"type": "integer"},
                        "ready": {"type": "string", "format": "date"},
                    },
                    "required": ["total", "pieces", "ready"],
                },
            }
        ],
        calls=[
            (
                "order",
                {
                    "lines": [
                        {"article": {"sku": "ABC-1", "price": "1.50"}, "count": 2},
                        {"article": {"sku": "DEF-2", "price": 0.1, "color": "red"}},
                    ],
                    "delivery": {"by": "pick-up", "on": "2026-08-01"},
                },
                structured(
                    {"total": "3.10", "pieces": 3, "ready": "2026-08-01"},
                    '{"total":"3.10","pieces":3,"ready":"2026-08-01"}',
                ),
            ),
            (
                "order",
                {
                    "lines": [{"article": {"sku": "ABC-1", "price": 2}, "count": 1}],
                    "delivery": {"by": "parcel", "street": "1 High St", "city": "Rome"},
                    "note": "Fragile",
                },
                structured(
                    {"total": "6.90", "pieces": 1, "ready": "2026-07-31"},
                    '{"total":"6.90","pieces":1,"ready":"2026-07-31"}',
                ),
            ),
            (
                "order",
                {
                    "lines": [
                        {"article": {"sku": "ABC-1", "price": "1,50"}, "count": 1},
                        {"article": {"sku": "abc", "price": "1.50"}, "amount": 2, "count": "2"},
                    ],
                    "delivery": {"by": "pigeon"},
                },
                invalid(
                    "order",
                    misfit(
                        "lines[0].article.price",
                        "pattern",
                        "a decimal number such as 1.50",
                        'expected a decimal number such as 1.50, got string "1,50"',
                    ),
                    misfit(
                        "lines[1].article.sku",
                        "pattern",
                        "a match of the pattern ^[A-Z]{3}-[0-9]+$",
                        'expected a match of the pattern ^[A-Z]{3}-[0-9]+$, got string "abc"',
                    ),
                    misfit("lines[1].count", "type", "integer", 'expected integer, got string "2"'),
                    misfit(
                        "delivery.by",
                        "const",
                        'one of "parcel", "pick-up"',
                        'expected one of "parcel", "pick-up", got string "pigeon"',
                    ),
                    note='ignored unknown key: "lines[1].amount" (did you mean "count"?)',
                ),
            ),
        ],
    ),
]
