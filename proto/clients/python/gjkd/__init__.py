"""Client of gjkd, the collision-query daemon."""

from ._answer import Answer, Problem
from ._columns import NO_HANDLE, REASONS, STATES, VERDICTS, Columns
from ._http import Unanswered
from .client import AsyncClient, Client, Event, Watch

__all__ = ["NO_HANDLE", "REASONS", "STATES", "VERDICTS", "Answer", "AsyncClient", "Client", "Columns", "Event",
           "Problem", "Unanswered", "Watch"]
