"""Which synapses of a projection may exist: potential synapses, listed one by one.

A projection without a list has all of them, and lies in memory as a matrix. With a list, memory and
work follow the number of potential synapses. You give pairs of neurons as an `EdgeList`, a boolean
matrix, a probability (`RandomPairs`) or a rule of distance (`DistanceRule`). `SynapseList` is what
all of them become when a `Network` is created.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.available import require_memory
from synsamp.spiking.space import Space, distances

Rule = Callable[[NDArray[np.float64]], Any]
"""A function of an array of distances."""
MOST_LISTED = 2**31 - 1
"""Synapses of a list, whose places are 32-bit numbers."""
AT_ONCE = 2**22
"""Pairs that are drawn or measured together."""


class Ends(NamedTuple):
    """The two populations of a projection."""

    name: str  # of the projection
    n_pre: int
    n_post: int
    pre: Space | None
    post: Space | None
    no_self: bool  # source and target are the same neurons, none of which connects to itself

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64], Any]:
        """Positions of source and target, and their common period."""
        if self.pre is None or self.post is None:
            rule = "must have positions at both ends for a rule of distance"
            raise refuse(f"projection {self.name!r}", rule, "none", "give positions=Plane()")
        pre, post = self.pre.coordinates(self.n_pre), self.post.coordinates(self.n_post)
        if pre.shape[1] != post.shape[1] or self.pre.period != self.post.period:
            rule = "must have both populations in one space"
            kinds = (type(self.pre).__name__, type(self.post).__name__)
            raise refuse(f"projection {self.name!r}", rule, kinds, "e.g. two Planes")
        return pre, post, self.pre.period


@dataclass(frozen=True, eq=False)
class SynapseList:
    """Potential synapses of a projection, sorted by postsynaptic neuron, then by source.

    Parameters
    ----------
    first
        int64 [post + 1]: where the synapses of each neuron begin.
    pre
        int32 [synapse]: their sources.
    contacts
        Synapses per pair of neurons, which follow each other.
    delays_s
        Distinct delays.
    delay
        uint16 [synapse]: which of them; empty if there is one.
    """

    first: NDArray[np.int64]
    pre: NDArray[np.int32]
    contacts: int = 1
    delays_s: tuple[float, ...] = (0.0,)
    delay: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))

    @property
    def size(self) -> int:
        """Number of potential synapses."""
        return int(self.pre.size)

    @property
    def post(self) -> NDArray[np.int32]:
        """int32 [synapse]: postsynaptic neurons."""
        return np.repeat(np.arange(self.first.size - 1, dtype=np.int32), np.diff(self.first))

    @property
    def contact(self) -> NDArray[np.int32]:
        """int32 [synapse]: which contact of its pair."""
        return (np.arange(self.size) % self.contacts).astype(np.int32)

    def place(self, post: int, pre: int, contact: int = 0) -> int:
        """Index of a synapse, −1 if it cannot exist."""
        low, high = int(self.first[post]), int(self.first[post + 1])
        at = low + int(np.searchsorted(self.pre[low:high], pre)) + contact
        return at if at < high and self.pre[at] == pre and contact < self.contacts else -1


class Potential(ABC):
    """How pairs of neurons that may connect are chosen; subclasses are frozen dataclasses."""

    @abstractmethod
    def expected(self, ends: Ends) -> float:
        """Number of pairs to expect, before any is drawn."""

    @abstractmethod
    def pairs(self, ends: Ends) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Pairs (post, pre) in parts, sorted by post, then by pre."""


@dataclass(frozen=True, eq=False)
class EdgeList(Potential):
    """Given pairs of neurons, each at most once.

    Parameters
    ----------
    pre, post
        Indices within the populations, of equal length, in any order.
    """

    pre: ArrayLike
    post: ArrayLike

    def __post_init__(self) -> None:
        for name in ("pre", "post"):
            found = arguments.wholes(f"{name} of the edge list", getattr(self, name), at_least=0)
            object.__setattr__(self, name, found)
        sizes = np.size(self.pre), np.size(self.post)
        if sizes[0] != sizes[1]:
            raise refuse("pre and post of the edge list", "must have one length", sizes)

    def expected(self, ends: Ends) -> float:
        """All of them."""
        return float(np.size(self.pre))

    def pairs(self, ends: Ends) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """The given pairs, checked and sorted."""
        pre, post = np.asarray(self.pre), np.asarray(self.post)
        of = f"of the edge list of {ends.name!r}"
        for what, given, size in (("pre", pre, ends.n_pre), ("post", post, ends.n_post)):
            arguments.wholes(f"{what} {of}", given, at_least=0, at_most=size - 1)
        if ends.no_self and (pre == post).any():
            bad = int(pre[pre == post][0])
            remedy = "use allow_self=True or leave it out"
            raise refuse(f"pairs {of}", "must not connect a neuron to itself", bad, remedy)
        order = np.lexsort((pre, post))
        pre, post = pre[order], post[order]
        twice = (np.diff(pre) == 0) & (np.diff(post) == 0)
        if twice.any():
            at = int(np.flatnonzero(twice)[0])
            bad_pair = f"(pre, post) = ({pre[at]}, {post[at]}) twice"
            raise refuse(f"pairs {of}", "must differ", bad_pair, "use contacts= for several")
        yield post, pre


@dataclass(frozen=True)
class RandomPairs(Potential):
    """Each pair of neurons with one probability, independently.

    Parameters
    ----------
    probability
        Between 0 and 1.
    seed
        Seed of the choice.
    """

    probability: float
    seed: int = 0

    def __post_init__(self) -> None:
        arguments.number("probability of pairs", self.probability, at_least=0, at_most=1)
        arguments.seed("seed of pairs", self.seed)

    def expected(self, ends: Ends) -> float:
        """Probability × pairs."""
        return self.probability * ends.n_pre * ends.n_post

    def pairs(self, ends: Ends) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Gaps between chosen pairs are geometric."""
        rng, total, at = np.random.default_rng(self.seed), ends.n_pre * ends.n_post, -1
        while self.probability > 0:
            count = min(AT_ONCE, int(1.1 * self.probability * (total - at)) + 100)
            gaps = np.minimum(rng.geometric(self.probability, count), total + 1)  # no overflow
            places = at + np.cumsum(gaps)
            at = int(places[-1])
            places = places[places < total]
            post, pre = places // ends.n_pre, places % ends.n_pre
            kept = post != pre if ends.no_self else np.ones(post.size, bool)
            yield post[kept], pre[kept]
            if at >= total:
                return


@dataclass(frozen=True, eq=False)
class DistanceRule(Potential):
    """Each pair of neurons with a probability that depends on their distance.

    Parameters
    ----------
    probability
        Function of an array of distances that returns probabilities between 0 and 1.
    within
        Pairs further apart have probability 0; a finite value makes large networks much faster to
        create.
    seed
        Seed of the choice.

    Examples
    --------
    >>> DistanceRule(lambda d: 0.5 * np.exp(-d / 0.1), within=0.5)  # doctest: +SKIP
    """

    probability: Rule
    within: float = np.inf
    seed: int = 0

    def __post_init__(self) -> None:
        arguments.function("probability of pairs", self.probability)
        if self.within != np.inf:
            arguments.number("within", self.within, above=0, remedy="use inf for no bound")
        arguments.seed("seed of pairs", self.seed)

    def expected(self, ends: Ends) -> float:
        """Estimated from a sample of neurons."""
        pre, post, period = ends.points()
        some = np.random.default_rng(0).choice(ends.n_post, min(ends.n_post, 64), replace=False)
        total = 0.0
        for k in some:
            apart = distances(post[k], pre, period)
            apart = apart[apart <= self.within]
            total += float(probabilities(self.probability, apart, ends.name).sum())
        return total * ends.n_post / some.size

    def pairs(self, ends: Ends) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Neurons within reach, then a draw for each."""
        from scipy.spatial import cKDTree  # takes a tenth of a second

        pre, post, period = ends.points()
        rng = np.random.default_rng(self.seed)
        rows = max(1, AT_ONCE // ends.n_pre)
        tree = None
        if self.within < np.inf:
            low = 0.0 if period is None else np.zeros(len(period))
            wrapped = pre if period is None else pre % np.array(period)
            tree = cKDTree(wrapped - low, boxsize=period)
        for start in range(0, ends.n_post, rows):
            some = np.arange(start, min(start + rows, ends.n_post))
            if tree is None:
                chosen, sources = np.divmod(np.arange(some.size * ends.n_pre), ends.n_pre)
            else:
                points = post[some] if period is None else post[some] % np.array(period)
                found = tree.query_ball_point(points, self.within, return_sorted=True)
                chosen = np.repeat(np.arange(some.size), [len(f) for f in found])
                sources = np.concatenate([np.asarray(f, np.int64) for f in found])
            apart = distances(post[some[chosen]], pre[sources], period)
            kept = rng.random(apart.size) < probabilities(self.probability, apart, ends.name)
            kept &= apart <= self.within
            if ends.no_self:
                kept &= some[chosen] != sources
            yield some[chosen[kept]], sources[kept]


def by_distance(name: str, rule: Rule, apart: NDArray[np.float64], at_least: float) -> Any:
    """Values of a rule at some distances, checked."""
    with np.errstate(all="ignore"):
        found = arguments.array(name, rule(apart))
    if found.shape not in ((), apart.shape) or found.dtype.kind not in "biuf":
        what, remedy = "must return a number per distance", "write it with NumPy functions"
        raise refuse(name, what, f"{found.dtype}{found.shape}", remedy)
    found = np.broadcast_to(found, apart.shape).astype(np.float64)
    return arguments.numbers(name, found, at_least=at_least)


def probabilities(rule: Rule, apart: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Probabilities at some distances."""
    what = f"probability by distance of projection {name!r}"
    found: NDArray[np.float64] = by_distance(what, rule, apart, 0.0)
    if (found > 1).any():
        raise refuse(what, "must be at most 1", float(found.max()), "use np.minimum(…, 1)")
    return found


@dataclass(frozen=True, eq=False)
class _Matrix(Potential):
    """Pairs for which a boolean matrix [post, pre] is True."""

    mask: NDArray[np.bool_]

    def expected(self, ends: Ends) -> float:
        return float(self.mask.sum())

    def pairs(self, ends: Ends) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        shape = (ends.n_post, ends.n_pre)
        if self.mask.shape != shape:
            rule = f"must have shape [post, pre] = {shape}"
            raise refuse(f"potential of {ends.name!r}", rule, self.mask.shape)
        post, pre = np.nonzero(self.mask)
        kept = post != pre if ends.no_self else np.ones(post.size, bool)
        yield post[kept], pre[kept]


def as_potential(name: str, given: Any) -> Potential | SynapseList | None:
    """A potential, a list, or None; a boolean matrix stands for its pairs."""
    if isinstance(given, np.ndarray) and given.dtype == bool and given.ndim == 2:
        return _Matrix(given)
    if given is None or isinstance(given, (Potential, SynapseList)):
        return given
    remedy = "use EdgeList, RandomPairs, DistanceRule or a boolean matrix [post, pre]"
    raise refuse(name, "must say which pairs may connect", type(given), remedy)


def list_synapses(
    given: Potential, contacts: int, ends: Ends, bytes_per_synapse: int
) -> SynapseList:
    """All potential synapses of a projection, if a network with them fits into memory."""
    expected = given.expected(ends) * contacts
    what = f"potential synapses of projection {ends.name!r}"
    if expected > MOST_LISTED:
        raise refuse(what, f"must be at most {MOST_LISTED:,}", f"about {expected:,.0f}")
    require_memory(what, expected, bytes_per_synapse)
    counts = np.zeros(ends.n_post, np.int64)
    parts = []
    for post, pre in given.pairs(ends):
        counts += np.bincount(post, minlength=ends.n_post)
        parts.append(pre.astype(np.int32))
    pre = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    first = np.concatenate([[0], np.cumsum(counts)]) * contacts
    return SynapseList(first, np.repeat(pre, contacts) if contacts > 1 else pre, contacts)


def synapse_distances(listed: SynapseList, ends: Ends) -> NDArray[np.float64]:
    """Distance between the two neurons of each synapse."""
    pre, post, period = ends.points()
    out, of = np.empty(listed.size), listed.post
    for start in range(0, listed.size, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        out[some] = distances(post[of[some]], pre[listed.pre[some]], period)
    return out
