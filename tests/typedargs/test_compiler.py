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
        Small.__args_form__.validation.compiled.__doc__
        == """\
def check_0(v, report, path):
    if not isinstance(v, dict):
        report += ((misfit, path, 'type', 'object', v),)
    else:
        if type(v) is not dict: v = dict(v)
        values_1_of = new_2(cls_3)
        values_1 = values_1_of.__dict__
        try: item_4 = v['q']
        except KeyError:
            report += ((missing, (*path, 'q'), 'string'),)
        else:
            if not (type(item_4) is str or isinstance(item_4, str)):
                report += ((misfit, (*path, 'q'), 'type', 'string', item_4),)
            values_1['query'] = item_4
        item_5 = v.get('limit', MISSING)
        if item_5 is not MISSING:
            if type(item_5) is not int: item_5 = as_integer(item_5)
            if not (type(item_5) is int or is_integer(item_5)):
                if item_5 is None:
                    report += ((null_for_optional, (*path, 'limit'), 'integer'),)
                else:
                    report += ((misfit, (*path, 'limit'), 'type', 'integer', item_5),)
            values_1['limit'] = item_5
        else:
            values_1['limit'] = 10
        item_6 = v.get('order', MISSING)
        if item_6 is not MISSING:
            if not (type(item_6) is str or isinstance(item_6, str)):
                if item_6 is None:
                    report += ((null_for_optional, (*path, 'order'), '"up"'),)
                else:
                    report += ((misfit, (*path, 'order'), 'type', '"up"', item_6),)
            else:
                if item_6 not in k_8:
                    report += ((no_member, (*path, 'order'), '"up"', item_6, k_7),)
            values_1['order'] = item_6
        else:
            values_1['order'] = None
        v = values_1_of
    return v"""
    )
