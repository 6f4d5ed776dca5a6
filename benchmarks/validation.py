"""Arguments to a validated instance, and raw schemas against values, beside the usual libraries.

    python -m benchmarks.validation [--quick] [--require]

Each measure runs in rounds, one library after another in each, so that what else the machine does
hits all alike; a ratio is taken within a round, and its median is told. Below 1.00 we are faster.
With `--require` the exit status is 1 where pydantic in strict mode makes instances faster, where
fastjsonschema checks raw schemas faster, or where 1,000 classes take a second.
"""

import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Literal

import fastjsonschema
import jsonschema_rs
import msgspec
from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as PydanticField

from typedargs import (
    Array,
    Double,
    Enum,
    Integer,
    MCPArgs,
    Nested,
    String,
    compile_schema,
    schema_of,
    structure,
)

from .command import ended, parser

Run = Callable[[], object]


class Flat(MCPArgs):
    a = Double()
    b = Double()
    digits = Integer(default=3, minimum=0, maximum=12)
    rounding = Enum("half-even", "down", default="half-even")
    name = String(min_length=1, max_length=50)


class Address(MCPArgs):
    street = String()
    city = String()
    zip = String(pattern="^[0-9]{5}$")


class Customer(MCPArgs):
    name = String()
    address = Nested(Address)
    age = Integer(minimum=0)


class Order(MCPArgs):
    id = Integer()
    customer = Nested(Customer)
    note = String(required=False)


class Item(MCPArgs):
    sku = String()
    count = Integer(minimum=1)
    price = Double(minimum=0)


class Items(MCPArgs):
    items = Array(Item)


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class StrictFlat(Strict):
    a: float
    b: float
    digits: int = PydanticField(3, ge=0, le=12)
    rounding: Literal["half-even", "down"] = "half-even"
    name: str = PydanticField(min_length=1, max_length=50)


class StrictAddress(Strict):
    street: str
    city: str
    zip: str = PydanticField(pattern="^[0-9]{5}$")


class StrictCustomer(Strict):
    name: str
    address: StrictAddress
    age: int = PydanticField(ge=0)


class StrictOrder(Strict):
    id: int
    customer: StrictCustomer
    note: str | None = None


class StrictItem(Strict):
    sku: str
    count: int = PydanticField(ge=1)
    price: float = PydanticField(ge=0)


class StrictItems(Strict):
    items: list[StrictItem]


def meta(annotation: Any, **limits: Any) -> Any:
    from typing import Annotated

    return Annotated[annotation, msgspec.Meta(**limits)]


StructFlat = msgspec.defstruct(
    "StructFlat",
    [
        ("a", float),
        ("b", float),
        ("name", meta(str, min_length=1, max_length=50)),
        ("digits", meta(int, ge=0, le=12), 3),
        ("rounding", Literal["half-even", "down"], "half-even"),
    ],
)
StructAddress = msgspec.defstruct(
    "StructAddress", [("street", str), ("city", str), ("zip", meta(str, pattern="^[0-9]{5}$"))]
)
StructCustomer = msgspec.defstruct(
    "StructCustomer", [("name", str), ("address", StructAddress), ("age", meta(int, ge=0))]
)
StructOrder = msgspec.defstruct(
    "StructOrder", [("id", int), ("customer", StructCustomer), ("note", str | None, None)]
)
StructItem = msgspec.defstruct(
    "StructItem", [("sku", str), ("count", meta(int, ge=1)), ("price", meta(float, ge=0))]
)
StructItems = msgspec.defstruct("StructItems", [("items", list.__class_getitem__(StructItem))])

FLAT = {"a": 1.5, "b": 2.5, "name": "bob"}
ORDER = {
    "id": 1,
    "customer": {
        "name": "Ada",
        "address": {"street": "Elm", "city": "York", "zip": "12345"},
        "age": 36,
    },
}
ITEMS = {"items": [{"sku": f"A{i}", "count": i + 1, "price": 1.5 * i} for i in range(200)]}

CASES: list[tuple[str, type[MCPArgs], type[BaseModel], Any, dict[str, Any], int]] = [
    ("flat", Flat, StrictFlat, StructFlat, FLAT, 2_000),
    ("nested", Order, StrictOrder, StructOrder, ORDER, 1_000),
    ("list of 200 objects", Items, StrictItems, StructItems, ITEMS, 20),
]


def instances(args: type[MCPArgs], model: Any, struct: Any, data: Any) -> dict[str, Run]:
    """Return what makes an instance of `data`, by library."""
    validate = model.model_validate
    return {
        "typedargs": lambda: structure(data, args),
        "pydantic, strict": lambda: validate(data),
        "msgspec convert": lambda: msgspec.convert(data, struct),
    }


def checks(args: type[MCPArgs], data: Any) -> dict[str, Run]:
    """Return what checks `data` against the raw schema of `args`, by library."""
    schema = schema_of(args)
    ours, theirs = compile_schema(schema), fastjsonschema.compile(schema, use_default=True)
    in_rust = jsonschema_rs.validator_for(schema)
    return {
        "typedargs": lambda: ours(data),
        "fastjsonschema": lambda: theirs(data),
        "jsonschema-rs, is_valid": lambda: in_rust.is_valid(data),
    }


def classes(count: int) -> dict[str, Run]:
    """Return what makes `count` classes of three fields, by library."""

    make: Any = type(MCPArgs)

    def ours() -> None:
        for _ in range(count):
            fields = {"a": Double(), "b": Integer(default=1), "c": String(min_length=2)}
            make("Made", (MCPArgs,), {"__module__": __name__, **fields})

    def theirs() -> None:
        for _ in range(count):
            create_model(
                "Made",
                __base__=Strict,
                a=(float, ...),
                b=(int, 1),
                c=(str, PydanticField(min_length=2)),
            )

    return {"typedargs": ours, "pydantic, strict": theirs}


def seconds(run: Run, times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - begin) / times


def measured(runs: Mapping[str, Run], times: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each run, a figure a round."""
    for run in runs.values():
        seconds(run, max(1, times // 10))
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(seconds(run, times))
    return found


def rows(title: str, found: Mapping[str, list[float]]) -> dict[str, float]:
    """Print a row for each library, and return our ratio to each."""
    ratios: dict[str, float] = {}
    for name, figures in found.items():
        ratio = statistics.median(
            ours / theirs for ours, theirs in zip(found["typedargs"], figures, strict=True)
        )
        ratios[name] = ratio
        micro = statistics.median(figures) * 1e6
        print(f"| {title} | {name} | {micro:,.2f} | {ratio:.2f} |")
    return ratios


def main() -> int:
    options = parser("benchmarks.validation", __doc__).parse_args()
    rounds = 7 if options.quick else 41
    peers = ("pydantic", "msgspec", "fastjsonschema", "jsonschema-rs")
    print(f"Python {platform.python_version()}, {', '.join(f'{p} {version(p)}' for p in peers)}\n")
    print("| what | library | µs, median | ours / theirs |")
    print("| --- | --- | ---: | ---: |")
    missed: list[str] = []
    for title, args, model, struct, data, times in CASES:
        runs = instances(args, model, struct, data)
        if rows(f"instance, {title}", measured(runs, times, rounds))["pydantic, strict"] > 1:
            missed.append(f"instance, {title}: slower than pydantic")
    for title, args, _, _, data, times in CASES:
        found = measured(checks(args, data), times, rounds)
        if rows(f"raw schema, {title}", found)["fastjsonschema"] > 1:
            missed.append(f"raw schema, {title}: slower than fastjsonschema")
    found = measured(classes(100), 1, max(3, rounds // 4))
    if rows("100 classes made", found)["pydantic, strict"] > 1:
        missed.append("classes cost more than pydantic's")
    if statistics.median(found["typedargs"]) * 10 >= 1:
        missed.append("1,000 classes take a second")
    return ended(missed, require=options.require)


if __name__ == "__main__":
    sys.exit(main())
