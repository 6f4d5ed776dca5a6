"""The enforced dialect, all of it, means what JSON Schema says: held against jsonschema-rs.

For each generated schema, `VALUES` values: with the profile `ci` more than 2,000 pairs, with
`release` more than 100,000. The documented exceptions, which are not generated:

- `format`, which is enforced here, and an annotation there;
- `multipleOf` of numbers that a double does not hold exactly, which is decimal here;
- patterns with what only ECMA-262 has.
"""

import copy
from typing import Any

import jsonschema_rs
from hypothesis import event, given
from hypothesis import strategies as st

from tests.typedargs.dialect_strategies import documents, near, values
from tests.typedargs.strategies import is_exact
from typedargs import ValidationError, check_schema, compile_schema

VALUES = 22


@given(st.data())
def test_every_schema_of_the_dialect_takes_what_json_schema_says(data: st.DataObject) -> None:
    schema = data.draw(documents())
    if isinstance(schema, bool):
        schema = {"allOf": [schema]}
    check_schema(schema)
    validate = compile_schema(schema)
    reference = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
    for value in data.draw(
        st.lists(near(schema, schema) | values, min_size=VALUES, max_size=VALUES)
    ):
        if "multipleOf" in str(schema) and not is_exact(value):
            continue
        expected = reference.is_valid(value)
        event(f"fits: {expected}")
        assert accepts(validate, value) is expected, value


def accepts(validate: Any, value: Any) -> bool:
    before = copy.deepcopy(value)
    fault: ValidationError | None = None
    try:
        validate(value)
    except ValidationError as error:
        fault = error
    assert value == before
    assert fault is None or (fault.issues and str(fault))
    return fault is None
