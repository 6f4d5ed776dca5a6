"""Repeating an operation, so that what was there before has no part in the count."""

import gc
import itertools
from collections.abc import Callable, Sequence
from typing import Any


def settle() -> None:
    """Keep what is there by now out of every later garbage collection.

    A full collection walks all objects, and whether one falls into the repetitions is chance.
    """
    gc.collect()
    gc.freeze()


def repeat(operation: Callable[[Any], object], inputs: Sequence[Any], count: int) -> None:
    """Do an operation so many times, on the inputs in turn."""
    settle()
    for given in itertools.islice(itertools.cycle(inputs), count):
        operation(given)
