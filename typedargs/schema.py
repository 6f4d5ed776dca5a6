"""ArgsSpec to JSON Schema, pure: lean, and in the order of declaration."""

from ._plan import Plan
from ._spec import ArgsSpec
from .dialect import JSONSchema


def object_schema(spec: ArgsSpec, plan: Plan) -> JSONSchema:
    """Return the JSON Schema of `spec`; what its values are converted by goes into `plan`."""
    schema: JSONSchema = {"type": "object"}
    sentences = [rule.sentence(keys) for rule, keys in spec.rules]
    description = "\n".join(filter(None, (spec.description, " ".join(sentences))))
    if description:
        schema["description"] = description
    schema["properties"] = {e.key: plan.property_of(e.field, e.owner) for e in spec.fields}
    required = [entry.key for entry in spec.fields if entry.field.required]
    if required:
        schema["required"] = required
    if spec.extra == "forbid":
        schema["additionalProperties"] = False
    return schema
