"""What is published is what is enforced: held against an independent validator, on random input.

The exceptions are documented: see `strategies`. Aliases and rules are not published as keywords,
so they are not among the options here.
"""

import copy
import string
from collections.abc import Callable
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.typedargs.helpers import holder
from tests.typedargs.strategies import (
    classes,
    fields,
    fits_a_double,
    is_exact,
    near,
    schemas,
    values,
)
from typedargs import (
    Enum,
    MCPArgs,
    SchemaError,
    String,
    ValidationError,
    check_schema,
    compile_schema,
    compile_unstructure,
    schema_of,
    structure,
    unstructure,
)


def accepts(validate: Callable[[Any], Any], value: Any) -> bool:
    before = copy.deepcopy(value)
    fault: ValidationError | None = None
    try:
        validate(value)
    except ValidationError as error:
        fault = error
    assert value == before
    assert fault is None or (fault.issues and str(fault))
    return fault is None


def comparable(schema: Any, value: Any) -> bool:
    """Tell whether both validators mean the same by the schema's `multipleOf`."""
    return is_exact(value) or "multipleOf" not in str(schema)


@given(st.data())
def test_a_class_takes_exactly_what_its_published_schema_takes(data: st.DataObject) -> None:
    cls = data.draw(classes())
    schema = schema_of(cls)
    Draft202012Validator.check_schema(schema)
    check_schema(schema)
    value = data.draw(near(schema))
    assume(fits_a_double(value) and comparable(schema, value))
    expected = Draft202012Validator(schema).is_valid(value)
    event(f"fits: {expected}")
    assert accepts(lambda v: structure(v, cls), value) is expected
    assert accepts(compile_schema(cls), value) is expected
    assert accepts(compile_schema(schema), value) is expected


@given(st.data())
def test_what_comes_in_goes_out_and_comes_in_again(data: st.DataObject) -> None:
    cls = data.draw(classes())
    value = data.draw(near(schema_of(cls)))
    assume(is_exact(value))
    try:
        instance = structure(value, cls)
    except ValidationError:
        assume(False)
    out = unstructure(instance)
    assert Draft202012Validator(schema_of(cls)).is_valid(out)
    assert structure(out, cls) == instance
    assert unstructure(structure(out, cls)) == out
    assert compile_unstructure(cls)(instance) == out
    assert cls(**instance.__dict__) == instance


@given(st.data())
def test_an_instance_that_was_changed_goes_out_exactly_where_its_json_fits(
    data: st.DataObject,
) -> None:
    cls = data.draw(classes())
    schema = schema_of(cls)
    try:
        instance = structure(data.draw(near(schema)), cls)
    except ValidationError:
        assume(False)
    held = vars(instance)
    assume(held)
    held[data.draw(st.sampled_from(sorted(held)))] = data.draw(values)
    try:
        out = unstructure(instance)
    except (TypeError, ValueError):
        return
    assume(fits_a_double(out) and comparable(schema, out))
    expected = Draft202012Validator(schema).is_valid(out)
    event(f"fits: {expected}")
    assert accepts(compile_unstructure(cls), instance) is expected


@given(st.data())
def test_a_default_is_taken_exactly_where_its_field_takes_it(data: st.DataObject) -> None:
    """And it is what the attribute is where the key is left out."""
    field = data.draw(fields())
    schema = schema_of(holder(a=field))["properties"]["a"]
    value = data.draw(near(schema))
    assume(is_exact(value) and (value is not None or field.nullable))
    expected = Draft202012Validator(schema).is_valid(value)
    field.required, field.default = False, value
    if expected and value is not None:
        field.default = value if field.from_json is None else field.from_json(value)
    elif isinstance(field, Enum) and field.into_json is not None:
        assume(value is None)
    try:
        cls = holder(a=field)
    except SchemaError:
        assert not expected
        return
    assert expected
    assert structure({}, cls) == cls() == structure(unstructure(cls()), cls)
    assert schema_of(cls)["properties"]["a"]["default"] == value


@given(st.data())
def test_a_raw_schema_takes_exactly_what_json_schema_says(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    Draft202012Validator.check_schema(schema)
    value = data.draw(near(schema))
    assume(comparable(schema, value))
    expected = Draft202012Validator(schema).is_valid(value)
    event(f"fits: {expected}")
    validate = compile_schema(schema)
    assert accepts(validate, value) is expected
    if expected:
        assert validate(value) == value


@given(st.data())
def test_filled_in_defaults_fit_the_schema_and_nothing_is_filled_in_twice(
    data: st.DataObject,
) -> None:
    inner = data.draw(schemas())
    inner["default"] = data.draw(near(inner))
    assume(comparable(inner, inner["default"]))
    schema = {"properties": {"a": inner, "b": {"properties": {"c": inner}, "default": {}}}}
    if not Draft202012Validator(inner).is_valid(inner["default"]):
        assert compile_schema(schema)({"other": 1}) == {"other": 1, "b": {}}
        return
    validate = compile_schema(schema)
    filled = validate({"other": 1})
    assert set(filled) == {"other", "a", "b"}
    assert filled["a"] == filled["b"]["c"] == inner["default"]
    assert Draft202012Validator(schema).is_valid(filled)
    assert validate(filled) == filled


hostile = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text(
    "'\"\\{}\n\r#();:,v_0 ", max_size=8
)


@given(st.lists(hostile, min_size=4, max_size=4, unique=True), st.text(string.printable))
def test_no_string_changes_what_is_compiled(keys: list[str], text: str) -> None:
    first, second, third, alias = keys

    class Args(MCPArgs, extra="forbid"):
        a = Enum(first, third, name=first, description=text, aliases=(alias,))
        b = String(name=second, default=text, title=text, examples=[text])

    assert structure({first: first}, Args) == Args(a=first, b=text)
    assert structure({alias: third, second: first}, Args) == Args(a=third, b=first)
    assert not accepts(lambda v: structure(v, Args), {first: first + third + second})
    assert not accepts(lambda v: structure(v, Args), {first: first, third: 1})
    raw = {"properties": {first: {"const": text, "properties": {text: {"default": text}}}}}
    validate = compile_schema(raw)
    assert validate({first: text}) == {first: text}
    assert not accepts(validate, {first: {}})


@given(values)
def test_any_value_gets_an_answer(value: Any) -> None:
    for validate in (compile_schema({"type": "object", "required": ["a"]}), compile_schema({})):
        accepts(validate, value)
