"""Contracts: a server's tools as a document, and what a change of them breaks.

Values in, values out: the command and the pytest plugin read and write the files.
"""

from .changes import Change, compare, is_break
from .comparison import compare_schemas
from .lock import Lock, LockError, lock_of, read_lock
from .report import data_of, summary, text_of
from .server import lock_of_server
from .shifts import Shift, Verdict

__all__ = [
    "Change",
    "Lock",
    "LockError",
    "Shift",
    "Verdict",
    "compare",
    "compare_schemas",
    "data_of",
    "is_break",
    "lock_of",
    "lock_of_server",
    "read_lock",
    "summary",
    "text_of",
]
