"""What a class is and does: construction, assignment, attrs' ways, names without limits."""

import copy
import enum
import functools
import inspect
import pickle
from typing import Any

import attrs
import pytest

from tests.typedargs.helpers import holder, refusal, schema_refusal
from typedargs import (
    MISSING,
    Boolean,
    Double,
    Enum,
    Integer,
    MCPArgs,
    ObjectSchema,
    SchemaError,
    String,
    TypedArgs,
    ValidationError,
    aliases_of,
    schema_of,
    structure,
    unstructure,
)


class Rounding(enum.Enum):
    HALF_EVEN = "half-even"
    DOWN = "down"


class AddArgs(MCPArgs):
    """Add two numbers."""

    a = Double(description="Left operand")
    b = Double(description="Right operand")
    digits = Integer(default=3, minimum=0, maximum=12, description="Decimal places")
    rounding = Enum(Rounding, default=Rounding.HALF_EVEN)
    note = String(required=False)


class FileArgs(MCPArgs):
    file = String(name="file-name", aliases=("path", "filename"))


class Strict(MCPArgs, extra="forbid"):
    query = String()
    limit = Integer(default=10, aliases=("max",))


def test_the_class_is_the_schema_byte_for_byte() -> None:
    import msgspec

    assert msgspec.json.encode(schema_of(AddArgs)).decode() == (
        '{"type":"object","description":"Add two numbers.","properties":{'
        '"a":{"type":"number","description":"Left operand"},'
        '"b":{"type":"number","description":"Right operand"},'
        '"digits":{"type":"integer","description":"Decimal places","minimum":0,"maximum":12,'
        '"default":3},'
        '"rounding":{"type":"string","enum":["half-even","down"],"default":"half-even"},'
        '"note":{"type":"string"}},'
        '"required":["a","b"]}'
    )


def test_a_class_without_fields_publishes_the_shortest_schema() -> None:
    class Nothing(MCPArgs):
        pass

    assert schema_of(Nothing) == {"type": "object", "properties": {}}
    assert structure({"x": 1}, Nothing) == Nothing()
    assert schema_of(MCPArgs) == schema_of(TypedArgs) == {"type": "object", "properties": {}}


def test_a_changed_schema_changes_nothing_in_the_class() -> None:
    schema_of(AddArgs)["properties"]["a"].clear()
    schema_of(AddArgs)["required"].append("zzz")
    assert schema_of(AddArgs)["properties"]["a"]["type"] == "number"
    assert schema_of(AddArgs)["required"] == ["a", "b"]


def test_json_becomes_an_instance_and_goes_back() -> None:
    args = structure({"a": 1, "b": 2.5, "rounding": "down"}, AddArgs)
    assert (args.a, args.b, args.digits, args.note) == (1.0, 2.5, 3, None)
    assert args.rounding is Rounding.DOWN
    assert args == AddArgs(a=1, b=2.5, rounding=Rounding.DOWN)
    assert unstructure(args) == {"a": 1.0, "b": 2.5, "digits": 3, "rounding": "down"}
    assert list(unstructure(args)) == ["a", "b", "digits", "rounding"]
    assert structure(unstructure(args), AddArgs) == args


def test_every_fault_is_reported_at_once_in_the_order_of_the_fields() -> None:
    with pytest.raises(ValidationError) as caught:
        structure({"b": "2", "digits": 13, "rounding": "up", "diggits": 1, "zzz": 2}, AddArgs)
    assert str(caught.value) == (
        "a: missing; expected number\n"
        'b: expected number, got string "2"\n'
        "digits: expected at most 12, got number 13\n"
        'rounding: expected one of "half-even", "down", got string "up"\n'
        'ignored unknown keys: "diggits" (did you mean "digits"?), "zzz"'
    )
    assert [(issue.path, issue.keyword, issue.expected) for issue in caught.value.issues] == [
        ("a", "required", "number"),
        ("b", "type", "number"),
        ("digits", "maximum", "at most 12"),
        ("rounding", "enum", 'one of "half-even", "down"'),
    ]


def test_a_missing_and_an_unknown_key_are_both_named_with_the_nearest_valid_one() -> None:
    assert refusal(lambda: structure({"a": 1, "B": 2}, AddArgs)) == (
        'b: missing; expected number\nignored unknown key: "B" (did you mean "b"?)'
    )


def test_unknown_keys_alone_are_ignored() -> None:
    assert structure({"a": 1, "b": 2, "c": 3}, AddArgs) == AddArgs(a=1, b=2)


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "null"),
        ([], "array []"),
        ("{}", 'string "{}"'),
        (3, "number 3"),
        (True, "boolean true"),
        (AddArgs(a=1, b=2), "a Python AddArgs"),
    ],
)
def test_what_is_no_object_is_refused(value: Any, got: str) -> None:
    assert refusal(lambda: structure(value, AddArgs)) == f"expected object, got {got}"


class Arguments(dict[str, Any]):
    pass


def test_a_subclass_of_dict_is_an_object_and_no_value_is_changed() -> None:
    given = Arguments(a=1, b=2)
    assert structure(given, AddArgs) == AddArgs(a=1, b=2)
    given = {"path": "x"}  # type: ignore[assignment]
    structure(given, FileArgs)
    assert given == {"path": "x"}


def test_keys_that_are_no_strings_are_unknown_keys() -> None:
    assert refusal(lambda: structure({1: 2, None: 3}, FileArgs)) == (
        'file-name: missing; expected string\nignored unknown keys: "1", "None"'
    )
    assert refusal(lambda: structure({"query": "x", 1: 2}, Strict)) == (
        '1: unknown key; expected one of the keys "query", "limit"'
    )


def test_the_constructor_takes_fields_by_keyword_alone() -> None:
    with pytest.raises(TypeError):
        AddArgs(1.0, 2.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^AddArgs\(\) needs a, b$"):
        AddArgs(digits=3)
    with pytest.raises(TypeError, match=r"^AddArgs has no field digit; did you mean digits\?$"):
        AddArgs(a=1, b=2, digit=3)


def test_the_constructor_reports_every_fault() -> None:
    assert refusal(lambda: AddArgs(a="1", b=None, digits=99, rounding="down")) == (
        'a: expected number, got string "1"\n'
        "b: expected number, got null\n"
        "digits: expected at most 12, got number 99\n"
        'rounding: expected a member of Rounding, got string "down"'
    )


def test_assignment_validates_and_leaves_the_old_value_where_it_fails() -> None:
    args = AddArgs(a=1, b=2)
    args.a = 3
    assert type(args.a) is float
    assert refusal(lambda: setattr(args, "a", "x")) == 'a: expected number, got string "x"'
    assert refusal(lambda: setattr(args, "digits", None)) == "digits: expected integer, got null"
    assert args == AddArgs(a=3, b=2)
    args.note = "n"
    args.note = None
    assert unstructure(args) == {"a": 3.0, "b": 2.0, "digits": 3, "rounding": "half-even"}


def test_a_fault_of_an_assignment_names_the_key_on_the_wire() -> None:
    args = FileArgs(file="a")
    assert refusal(lambda: setattr(args, "file", 3)) == ("file-name: expected string, got number 3")


def test_a_misspelt_assignment_raises() -> None:
    args = AddArgs(a=1, b=2)
    with pytest.raises(
        AttributeError, match=r"^AddArgs has no field digit; did you mean digits\?$"
    ):
        args.digit = 3
    with pytest.raises(AttributeError, match=r"^AddArgs has no field zzz$"):
        args.zzz = 3


@pytest.mark.parametrize("name", ["__attrs_post_init__", "__new__"])
def test_what_makes_an_instance_stands_in_the_body_of_its_class(name: str) -> None:
    class Late(MCPArgs):
        a = Double()

    with pytest.raises(SchemaError, match=f"^Late is made already; define {name} in its body$"):
        setattr(Late, name, lambda _: None)


def test_private_attributes_properties_and_methods_are_the_classs_own() -> None:
    class Args(MCPArgs):
        a = Double()

        def __attrs_post_init__(self) -> None:
            self._twice = self.a * 2

        @property
        def half(self) -> float:
            return self.a / 2

        @half.setter
        def half(self, value: float) -> None:
            self.a = value * 2

        def shout(self) -> str:
            return "A"

        limit = 3

    for args in (Args(a=1), structure({"a": 1}, Args)):
        assert args._twice == 2
        args.half = 4.0
        assert args.a == 8
        with pytest.raises(AttributeError, match=r"^Args has no field shout$"):
            args.shout = 3  # type: ignore[method-assign, assignment]
        with pytest.raises(AttributeError, match=r"^Args has no field limit$"):
            args.limit = 4
    assert schema_of(Args)["properties"] == {"a": {"type": "number"}}


def test_a_constructor_of_ones_own_may_call_the_inherited_one() -> None:
    class Sum(MCPArgs):
        total = Double()

        def __init__(self, *terms: float) -> None:
            super().__init__(total=sum(terms))

    assert Sum(1, 2).total == 3
    assert structure({"total": 3}, Sum) == Sum(3)


def test_a_subclass_takes_its_own_fields_after_its_base_was_made_instances_of() -> None:
    class Base(MCPArgs):
        a = Integer()

    class Sub(Base):
        b = Integer(default=2)

    for _ in range(2):
        assert Base(a=1).a == 1
        assert (Sub(a=1).a, Sub(a=1).b, Sub(a=1, b=3).b) == (1, 2, 3)
        with pytest.raises(TypeError, match="Base has no field b"):
            Base(a=1, b=2)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"Sub\(\) needs a"):
            Sub(b=1)
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            Sub(1)  # type: ignore[call-arg, misc]


def test_a_constructor_of_ones_own_is_inherited_however_it_is_made() -> None:
    made = []

    class Base(MCPArgs):
        a = Integer()

    class Told(Base):
        b = Integer()

        @functools.wraps(MCPArgs.__init__)
        def __init__(self, **values: Any) -> None:
            made.append(type(self).__name__)
            super().__init__(**values)

    class Sub(Told):
        c = Integer()

    for _ in range(2):
        assert Base(a=1).a == 1
        assert Told(a=1, b=2).b == 2
        assert Sub(a=1, b=2, c=3).c == 3
    assert made == ["Told", "Sub"] * 2


def test_a_constructor_of_ones_own_is_called_whichever_class_is_made_first() -> None:
    class Stripped(MCPArgs):
        def __init__(self, **values: str) -> None:
            super().__init__(**{name: value.strip() for name, value in values.items()})

    class Named(MCPArgs):
        name = String()

    class Person(Named, Stripped):
        pass

    class Titled(Named):
        title = String(default="")

    class Doctor(Titled, Person):
        pass

    for _ in range(2):
        assert Person(name=" a ").name == "a"
        assert Doctor(name=" a ", title="b ") == Doctor(name="a", title="b")
        assert Named(name=" a ").name == Titled(name=" a ").name == " a "


def test_an_inherited_constructor_may_be_replaced_after_it_was_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Base(MCPArgs):
        a = Integer()

    class Sub(Base):
        pass

    class Lower(Sub):
        pass

    for replaced in (Base, MCPArgs):
        assert Lower(a=1).a == Sub(a=1).a == 1
        with monkeypatch.context() as patch:
            patch.setattr(replaced, "__init__", lambda self, **_: setattr(self, "a", 5))
            assert Lower(a=1).a == Sub(a=1).a == 5
        assert Lower(a=1).a == Sub(a=1).a == 1


def test_an_instance_keeps_its_values_when_it_is_made_anew_of_unfit_ones() -> None:
    class Plain(MCPArgs):
        a = Integer()
        b = Integer(default=7)

    made = Plain(a=1, b=2)
    for _ in range(2):
        assert refusal(lambda: Plain.__init__(made, a=5, b="no")).startswith("b: ")
        assert made == Plain(a=1, b=2)


def test_a_constructor_may_be_replaced_after_it_was_used(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(MCPArgs):
        a = Integer()

    assert Plain(a=1).a == 1
    with monkeypatch.context() as patch:
        patch.setattr(Plain, "__init__", lambda self, **_: setattr(self, "a", 5))
        assert Plain(a=1).a == 5
    assert Plain(a=1).a == 1


@pytest.mark.parametrize("name", ["self", "given", "instance", "report", "type", "été", "\ufb01"])
def test_a_field_may_have_any_name_of_python(name: str) -> None:
    cls: Any = type("Named", (MCPArgs,), {name: Integer(), "other": Integer(required=False)})
    for _ in range(2):
        made = cls(**{name: 3})
        assert getattr(made, name) == 3
        assert unstructure(made) == {name: 3}
        assert structure({name: 3, "other": 4}, cls) == cls(**{name: 3, "other": 4})
        assert refusal(lambda: cls(**{name: "x"})) == f'{name}: expected integer, got string "x"'


def test_the_signature_is_that_of_the_constructor() -> None:
    class Plain(MCPArgs):
        a = Integer()

    class Own(Plain):
        def __init__(self, b: int, /, *, c: int = 1) -> None:
            super().__init__(a=b + c)

    for _ in range(2):
        assert str(inspect.signature(Plain)) == "(**values: 'Any') -> 'None'"
        Plain(a=1)
    assert str(inspect.signature(Own)) == "(b: int, /, *, c: int = 1) -> None"


def test_a_value_that_is_missing_is_as_one_that_is_not_given() -> None:
    class Plain(MCPArgs):
        a = Integer(default=3)
        b = Integer(required=False)

    class Own(Plain):
        def __init__(self, **values: Any) -> None:
            super().__init__(**values)

    for cls in (Plain, Own):
        assert (cls(a=MISSING, b=MISSING).a, cls(a=MISSING).b) == (3, None)


def test_the_class_gives_the_field() -> None:
    assert AddArgs.a.description == "Left operand"
    assert AddArgs.digits.default == 3
    assert isinstance(AddArgs.note, String)


def test_it_is_an_attrs_class() -> None:
    args = AddArgs(a=1, b=2)
    assert attrs.has(AddArgs)
    assert [field.name for field in attrs.fields(AddArgs)] == [
        "a",
        "b",
        "digits",
        "rounding",
        "note",
    ]
    assert attrs.fields(AddArgs).a.default is attrs.NOTHING
    assert attrs.evolve(args, digits=5) == AddArgs(a=1, b=2, digits=5)  # type: ignore[call-arg, misc]
    assert refusal(lambda: attrs.evolve(args, digits=-1)) == (  # type: ignore[misc]
        "digits: expected at least 0, got number -1"
    )
    assert attrs.asdict(args) == {
        "a": 1.0,
        "b": 2.0,
        "digits": 3,
        "rounding": Rounding.HALF_EVEN,
        "note": None,
    }
    assert repr(args) == (
        "AddArgs(a=1.0, b=2.0, digits=3, rounding=<Rounding.HALF_EVEN: 'half-even'>, note=None)"
    )
    assert args == copy.copy(args) == copy.deepcopy(args)
    assert args != AddArgs(a=1, b=3)  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(args)) == args
    with pytest.raises(TypeError, match="unhashable"):
        hash(args)


def test_a_field_has_its_own_name_on_the_wire_and_answers_to_older_ones() -> None:
    assert schema_of(FileArgs) == {
        "type": "object",
        "properties": {"file-name": {"type": "string"}},
        "required": ["file-name"],
    }
    assert aliases_of(FileArgs) == {"path": "file-name", "filename": "file-name"}
    for key in ("file-name", "path", "filename"):
        assert structure({key: "a"}, FileArgs) == FileArgs(file="a")
    assert unstructure(FileArgs(file="a")) == {"file-name": "a"}


def test_the_attribute_is_no_key_where_the_name_differs() -> None:
    assert refusal(lambda: structure({"file": "a"}, FileArgs)) == (
        "file-name: missing; expected string\n"
        'ignored unknown key: "file" (did you mean "file-name"?)'
    )
    assert structure({"path": 1} | {"path": "a"}, FileArgs).file == "a"


@pytest.mark.parametrize("given", [{"file-name": "a", "path": "b"}, {"path": "a", "filename": "a"}])
def test_a_field_that_is_given_twice_is_a_fault(given: dict[str, str]) -> None:
    assert refusal(lambda: structure(given, FileArgs)) == (
        'file-name: given twice, also under an alias; send only "file-name"'
    )


def test_a_fault_under_an_alias_names_the_canonical_key() -> None:
    assert refusal(lambda: structure({"path": 3}, FileArgs)) == (
        "file-name: expected string, got number 3"
    )


def test_unknown_keys_are_faults_where_they_are_forbidden() -> None:
    assert schema_of(Strict)["additionalProperties"] is False
    assert refusal(lambda: structure({"query": "x", "limt": 3, "zzz": 1}, Strict)) == (
        'limt: unknown key; expected one of the keys "query", "limit" (did you mean "limit"?)\n'
        'zzz: unknown key; expected one of the keys "query", "limit"'
    )
    assert structure({"query": "x", "max": 3}, Strict).limit == 3


def test_a_flood_of_unknown_keys_is_answered_with_the_first_few() -> None:
    flood = {f"limit{index}": 1 for index in range(50_000)}
    for args in (Strict, AddArgs):
        message = refusal(lambda: structure(flood, args))  # noqa: B023
        assert message.count("\n") <= 21
        assert len(message) < 5_000


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"a": String(), "b": String(name="a")},
            'Args: a and b both have the key "a" on the wire; give one of them another name=',
        ),
        (
            {"a": String(), "b": String(aliases=("a",))},
            'Args: a and b both have the key "a" on the wire; give one of them another name=',
        ),
        (
            {"a": String(aliases=("x",)), "b": String(aliases=("x",))},
            'Args: a and b both have the key "x" on the wire; give one of them another name=',
        ),
        ({"a": String(aliases=("a",))}, 'Args.a has the key "a" twice'),
        ({"a": String(aliases=("x", "x"))}, 'Args.a has the key "x" twice'),
        (
            {"a": String(header="Region"), "b": String(header="REGION")},
            'Args: a and b both have the header "REGION"',
        ),
        ({"a": Double}, "Args.a is the class Double; write a = Double()"),
        ({"a": int}, "Args.a is the type int; write a = Integer()"),
        (
            {"a": attrs.field()},
            "Args.a is a field of another library; write a = String() or the like",
        ),
        (
            {"a": (Double(),)},
            "Args.a is a tuple that holds a field; is there a comma after its closing parenthesis?",
        ),
    ],
)
def test_a_slip_in_a_class_body_is_an_error_that_says_what_to_change(
    body: dict[str, Any], message: str
) -> None:
    assert schema_refusal(lambda: holder(**body)) == message


@pytest.mark.parametrize("extra", ["allow", True, ["forbid"]])
def test_another_rule_for_unknown_keys_is_refused(extra: Any) -> None:
    def declare() -> None:
        class Args(MCPArgs, extra=extra):
            pass

    assert schema_refusal(declare).startswith('Args: extra must be "ignore" or "forbid", got ')


@pytest.mark.parametrize(
    "call",
    [
        lambda: structure({}, int),  # type: ignore[type-var]
        lambda: structure({}, AddArgs(a=1, b=2)),  # type: ignore[call-overload]
        lambda: schema_of(None),  # type: ignore[arg-type]
        lambda: schema_of({"type": "object"}),  # type: ignore[arg-type]
        lambda: aliases_of("AddArgs"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_args_class_is_refused_by_every_function(call: Any) -> None:
    with pytest.raises(TypeError, match=r"^expected an args class or an ObjectSchema, got "):
        call()


@pytest.mark.parametrize("value", [{"a": 1}, None, AddArgs, ObjectSchema()])
def test_only_an_instance_can_be_unstructured(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^expected an instance of an args class, got "):
        unstructure(value)


def test_one_field_object_may_be_several_fields() -> None:
    shared = Integer(minimum=0)

    class One(MCPArgs):
        a = shared
        b = shared

    class Two(MCPArgs):
        c = shared

    assert structure({"a": 1, "b": 2}, One) == One(a=1, b=2)
    assert refusal(lambda: One(a=1, b=-1)) == "b: expected at least 0, got number -1"
    assert list(schema_of(Two)["properties"]) == ["c"]


def test_a_deleted_attribute_says_so() -> None:
    args = AddArgs(a=1, b=2)
    del args.a
    with pytest.raises(AttributeError, match=r"^a has no value in this AddArgs$"):
        unstructure(args)


def test_a_large_class_works() -> None:
    args = holder(**{f"field_{index}": Boolean(default=False) for index in range(1_000)})
    assert structure({"field_999": True}, args).field_999 is True


def test_the_error_of_a_class_leaves_no_class_behind() -> None:
    with pytest.raises(SchemaError):

        class Broken(MCPArgs):
            a = Integer(default="x")  # type: ignore[call-overload]

    assert "Broken" not in locals()
