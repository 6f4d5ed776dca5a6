"""The generated functions: readable, and no text of a schema becomes code."""

import pytest

from typedargs import (
    Enum,
    Integer,
    MCPArgs,
    String,
    ValidationError,
    compile_schema,
)

HOSTILE = ["'", '"', "\\", "\n", "{}", "{v}", "'); raise SystemExit('", "\x00", "\u2028", "__v__"]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_in_a_schema_becomes_code(text: str) -> None:
    schema = {
        "title": text,
        "type": "object",
        "properties": {
            text: {
                "type": "object",
                "properties": {text: {"const": text}, f"{text}d": {"default": text}},
                "required": [text, f"{text}r"],
                "additionalProperties": False,
            },
            f"{text}e": {"enum": [text, 3], "default": text},
        },
        "required": [text],
    }
    validate = compile_schema(schema)
    with pytest.raises(ValidationError) as caught:
        validate({text: {text: "x", f"{text}z": 1}, f"{text}e": text + text})
    assert [issue.keyword for issue in caught.value.issues] == [
        "additionalProperties",
        "const",
        "required",
        "enum",
    ]
    with pytest.raises(ValidationError):
        compile_schema({"properties": {text: {"type": "string", "pattern": "^b$"}}})({text: text})


def test_the_generated_source_can_be_read() -> None:
    class Small(MCPArgs):
        query = String(name="q")
        limit = Integer(default=10)
        order = Enum("up", required=False)

    assert (
        Small.__args_form__.compiled.__doc__
        == """\
def check(v, issues):
    if not isinstance(v, dict):
        misfit(issues, (), 'type', 'object', v)
    else:
        out = {}
        p1 = v.get('q', MISSING)
        if p1 is MISSING:
            missing(issues, ('q',), 'string')
        else:
            if not (type(p1) is str or isinstance(p1, str)):
                misfit(issues, ('q',), 'type', 'string', p1)
            out['q'] = p1
        p2 = v.get('limit', MISSING)
        if p2 is MISSING:
            out['limit'] = 10
        else:
            if type(p2) is not int: p2 = as_integer(p2)
            if not (type(p2) is int or is_integer(p2)):
                null_or_misfit(issues, ('limit',), 'type', 'integer', p2)
            out['limit'] = p2
        p3 = v.get('order', MISSING)
        if p3 is MISSING:
            out['order'] = None
        else:
            if not (type(p3) is str or isinstance(p3, str)):
                null_or_misfit(issues, ('order',), 'type', '"up"', p3)
            else:
                if p3 not in members_2: no_member(issues, ('order',), '"up"', p3, k_1)
            out['order'] = p3
        if not issues: v = build_3(out)
    return v"""
    )
