"""What a schema and one validation may ask for at most: settings of the process."""

import msgspec


class Bounds(msgspec.Struct):
    """The bounds, each with its default; set them before the schemas that they are for are made.

    A schema beyond them is a SchemaError, a value beyond them does not fit.
    """

    schema_depth: int = 100
    """Schemas within schemas."""

    subschemas: int = 10_000
    """Schemas in one schema."""

    steps: int = 1_000_000
    """Applications of shared and alternative schemas in one validation."""

    faults: int = 100
    """Faults after which no further item of an array is looked at."""

    search_seconds: float = 0.25
    """How long one search for a pattern may take, in seconds."""

    full_depth: int = 500
    """Levels in a value that `validation="full"` checks; far more end the process."""


bounds = Bounds()
"""The bounds in force, in the whole process."""
