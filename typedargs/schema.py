"""ArgsSpec to JSON Schema, pure: lean, and in the order of declaration."""

from ._spec import ArgsSpec
from .dialect import JSONSchema


def object_schema(spec: ArgsSpec) -> JSONSchema:
    """Return the JSON Schema of `spec` as it is published."""
    schema: JSONSchema = {"type": "object"}
    sentences = [rule.sentence(keys) for rule, keys in spec.rules]
    description = "\n".join(filter(None, (spec.description, " ".join(sentences))))
    if description:
        schema["description"] = description
    schema["properties"] = {entry.key: entry.schema for entry in spec.fields}
    required = [entry.key for entry in spec.fields if entry.field.required]
    if required:
        schema["required"] = required
    if spec.extra == "forbid":
        schema["additionalProperties"] = False
    return schema
