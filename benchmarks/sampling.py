"""Taking times fairly: in turns, so that whatever else the machine does meets all alike."""

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median


@dataclass(eq=False)
class Subject:
    """Something to time, and its times: a list of seconds for each round."""

    action: Callable[[], object]
    rounds: list[list[float]] = field(default_factory=list)

    @property
    def samples(self) -> list[float]:
        """All times, in seconds."""
        return [sample for samples in self.rounds for sample in samples]

    def ratio_to(self, other: "Subject") -> float:
        """How many times as long it takes: the median of the rounds' own ratios.

        A round's ratio compares what ran within a second of each other, so that a machine that
        slows down half-way does not count.
        """
        pairs = zip(self.rounds, other.rounds, strict=True)
        return median(median(mine) / median(theirs) for mine, theirs in pairs)


@dataclass
class Quantity:
    """The same thing at growing sizes, with what it is compared to.

    Attributes:
        subjects: size → what to time.
        floors: size → its floor, when there is one.
        queries: size → statements that it makes, when they were counted.
    """

    what: str
    subjects: dict[str, Subject] = field(default_factory=dict)
    floor: str = ""
    floors: dict[str, Subject] = field(default_factory=dict)
    queries: dict[str, int] = field(default_factory=dict)

    @property
    def smallest(self) -> Subject:
        """The subject at the first size."""
        return next(iter(self.subjects.values()))


@dataclass(frozen=True)
class Plan:
    """How long to look: rounds, and how often each subject is timed in one of them."""

    rounds: int
    times: int


def take_turns(quantities: Iterable[Quantity], plan: Plan) -> None:
    """Time all subjects and floors, round after round; the first round only warms up."""
    subjects: list[Subject] = []
    for quantity in quantities:
        for subject in (*quantity.subjects.values(), *quantity.floors.values()):
            if subject not in subjects:
                subjects.append(subject)
    for number in range(plan.rounds + 1):
        for subject in subjects:
            samples = _time(subject.action, plan.times)
            if number:
                subject.rounds.append(samples)


def _time(action: Callable[[], object], times: int) -> list[float]:
    samples = []
    gc.collect()
    for _ in range(times):
        start = time.perf_counter()
        action()
        samples.append(time.perf_counter() - start)
    return samples
