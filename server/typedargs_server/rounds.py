"""The rounds of one call in the modern era: answers of earlier rounds, and what is still asked.

A question without an answer ends the round with InputRequired; the client's retry brings answers,
and the handler runs again, up to its next question.

Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from .questions import Question

logger = logging.getLogger("typedargs")


class Journal(msgspec.Struct):
    """What a call has gathered so far; between two rounds the client keeps it, sealed."""

    asked: dict[str, str] = msgspec.field(default_factory=dict)
    """By its key, each question that the client was asked last: its digest."""
    answers: dict[str, tuple[str, Any]] = msgspec.field(default_factory=dict)
    """By its key, each answered question: its digest, and the client's result."""
    done: dict[str, Any] = msgspec.field(default_factory=dict)
    """By its key, what each `once` has computed."""


class InputRequired(BaseException):
    """The round ends here: these questions, by key, need an answer first.

    Not an Exception, so that a handler which catches its own failures does not catch this.
    """

    def __init__(self, questions: "Mapping[str, Question[Any]]") -> None:
        super().__init__("the client must answer first: " + ", ".join(questions))
        self.questions = questions

    @classmethod
    def of(cls, several: Sequence["InputRequired"]) -> "InputRequired":
        """Return the one that asks what several ask."""
        return cls({key: q for each in several for key, q in each.questions.items()})


class Rounds:
    """The journal of a call, with what the client brings in this round."""

    def __init__(self, journal: Journal, brought: Mapping[str, Any]) -> None:
        self.journal = journal
        self._brought = brought

    def answers(self, questions: "Mapping[str, Question[Any]]") -> Sequence[Any]:
        """Return the client's results; raises InputRequired with the questions that have none."""
        missing = {
            key: question for key, question in questions.items() if not self._has(key, question)
        }
        if missing:
            raise InputRequired(missing)
        return [self.journal.answers[key][1] for key in questions]

    def _has(self, key: str, question: "Question[Any]") -> bool:
        digest = question.digest()
        known = self.journal.answers.get(key)
        if known is not None:
            if known[0] == digest:
                return True
            del self.journal.answers[key]  # an answer to another question
        elif self.journal.asked.get(key, digest) != digest:
            logger.warning('question "%s" is another than in the last round; asked again', key)
        elif key in self._brought:
            self.journal.answers[key] = (digest, self._brought[key])
            return True
        return False
