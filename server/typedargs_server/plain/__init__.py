"""An input schema in the form that every provider takes, and what that form cannot say.

Only what is shown becomes plain: a tool is enforced with the schema that it was registered with.
What a plain schema cannot say in keywords is said in its descriptions, as far as words do.

What the providers take is known to `providers`, with the source of each rule.
"""

from .form import Loss, plain_schema

__all__ = ["Loss", "plain_schema"]
