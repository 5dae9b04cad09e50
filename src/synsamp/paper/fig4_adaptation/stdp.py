"""STDP curves of the rule (Fig. 4B, C), measured in the simulator.

A postsynaptic spike moves θ by Δθ = b N w (x − α e^w), where x sums the EPSPs of earlier
presynaptic spikes. Single pairs (B) and regular pairs at 20 Hz, as in the experiment (C), are
prescribed spike by spike and have no randomness. For Poisson pairs at 20 Hz, one circuit of a
single neuron projects to another: such a circuit spikes at ρ_net whatever its input. The prior
is so wide that it has no effect, T = 0 removes the noise, and b is so small that w hardly changes.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.claims import Amount, Claim, Measure, variants
from synsamp.experiments import Results
from synsamp.mappings import Exponential
from synsamp.paper.fig4_adaptation.parameters import AdaptationParameters as P
from synsamp.paper.shared.digit_circuit import SpikingRule
from synsamp.priors import Gaussian
from synsamp.spiking import (
    DoubleExponential,
    EventLog,
    Network,
    Projection,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    TermClip,
    WinnerTakeAll,
    stdp_curve,
)

WEIGHTS = (0.5, 1.0, 1.5)
PAIRED_WEIGHT = 1.0
"""Weight of the synapse paired at 20 Hz."""
PAIRING_HZ = 20.0
PAIRS = 5
"""Regular pairs in one train; more would change nothing, as ε decays within three periods."""
LONGEST_LAG_S = 0.1
LONGEST_PAIRED_LAG_S = 0.025
"""Half a period: beyond it a pair is nearer to the next one."""
BIN_S = 0.0025
DURATION_S = 1000.0
SHORT_LAG_S = 0.010
B, N = 1e-9, 100.0

Floats = NDArray[np.float64]


def measure_stdp(rule: SpikingRule, seed: np.random.SeedSequence) -> xr.Dataset:
    """Measure the change per postsynaptic spike, Δw/(b N w²), against the lag t_post − t_pre.

    ``single``: one pair, for several w (B). ``regular``: pairs at 20 Hz. ``poisson``: both neurons
    at 20 Hz, mean over all pairs of a lag, with the standard error, and ``shuffled`` with lags
    shuffled among pairs (C). Each with its theory (``…_theory``, and ``…_line`` at more lags, for
    the figure).
    """
    lag, fine_lag = _centred(LONGEST_LAG_S, 41), _centred(LONGEST_LAG_S, 801)
    paired_lag, fine_paired_lag = (_centred(LONGEST_PAIRED_LAG_S, count) for count in (21, 401))
    edges = np.arange(-LONGEST_LAG_S, LONGEST_LAG_S + BIN_S / 2, BIN_S)
    lags, change = _poisson_pairs(rule, seed)
    poisson, error = _binned(lags, change, edges)
    shuffled, shuffled_error = _binned(np.random.default_rng(seed).permutation(lags), change, edges)
    single = [_pairs(rule, w, lag, 1) for w in WEIGHTS]
    single_theory = [[epsp(s) - expected(rule, w) for w in WEIGHTS] for s in (lag, fine_lag)]
    return xr.Dataset(
        {
            "single": (("weight", "lag"), np.array(single)),
            "single_theory": (("weight", "lag"), np.array(single_theory[0])),
            "single_line": (("weight", "fine_lag"), np.array(single_theory[1])),
            "regular": ("paired_lag", _pairs(rule, PAIRED_WEIGHT, paired_lag, PAIRS)),
            "regular_theory": ("paired_lag", _regular_theory(rule, paired_lag)),
            "regular_line": ("fine_paired_lag", _regular_theory(rule, fine_paired_lag)),
            "poisson": ("bin", poisson),
            "poisson_error": ("bin", error),
            "poisson_theory": ("bin", _poisson_theory(rule, edges)),
            "shuffled": ("bin", shuffled),
            "shuffled_error": ("bin", shuffled_error),
        },
        coords={
            "weight": list(WEIGHTS),
            "lag": lag,
            "fine_lag": fine_lag,
            "paired_lag": paired_lag,
            "fine_paired_lag": fine_paired_lag,
            "bin": (edges[1:] + edges[:-1]) / 2,
        },
    )


def _centred(longest_s: float, count: int) -> Floats:
    """Evenly spaced lags without 0, where the order of the spikes matters."""
    edges = np.linspace(-longest_s, longest_s, count)
    return np.asarray((edges[1:] + edges[:-1]) / 2)


# -- theory --------------------


def epsp(lag_s: Floats) -> Floats:
    """ε(s), the double-exponential EPSP; 0 before the spike."""
    kernel, late = DoubleExponential(), np.maximum(lag_s, 0.0)
    return np.asarray(np.exp(-late / kernel.fall_s) - np.exp(-late / kernel.rise_s))


def expected(rule: SpikingRule, weight: float) -> float:
    """α e^w with its clip: the input at which the likelihood term vanishes."""
    return min(rule.clip_limit, rule.alpha * math.exp(weight))


def _regular_theory(rule: SpikingRule, lag_s: Floats) -> Floats:
    """Mean over the spikes of a train; earlier pairs add to the input of the k-th spike.

    With |lag| below half a period, pair k − j came j periods before.
    """
    period_s = 1 / PAIRING_HZ
    seen = [(PAIRS - j) / PAIRS * epsp(lag_s + j * period_s) for j in range(PAIRS)]
    return np.asarray(np.sum(seen, axis=0) - expected(rule, PAIRED_WEIGHT))


def _poisson_theory(rule: SpikingRule, edges: Floats) -> Floats:
    """Mean of ε over a bin + the mean input of all other spikes − α e^w."""
    kernel, late = DoubleExponential(), np.maximum(edges, 0.0)
    area = kernel.fall_s * -np.expm1(-late / kernel.fall_s)
    area -= kernel.rise_s * -np.expm1(-late / kernel.rise_s)
    others = PAIRING_HZ * (kernel.fall_s - kernel.rise_s)
    return np.asarray(np.diff(area) / BIN_S + others - expected(rule, PAIRED_WEIGHT))


# -- simulation --------------------


def _synapses(rule: SpikingRule) -> SynapseModel:
    return SynapseModel(
        prior=Gaussian(0.0, 1e6),
        mapping=Exponential(rule.theta_0),
        plasticity=SpikeLikelihood(data_size=N, alpha=rule.alpha, clip=TermClip(rule.clip_limit)),
        speed=B,
        temperature=0.0,
    )


def _pairs(rule: SpikingRule, weight: float, lag_s: Floats, pairs: int) -> Floats:
    theta = rule.theta_0 + math.log(weight)
    change = stdp_curve(lag_s, _synapses(rule), theta, pairs, PAIRING_HZ)
    return np.asarray(np.log1p(change) / (pairs * B * N * weight))


def _poisson_pairs(rule: SpikingRule, seed: np.random.SeedSequence) -> tuple[Floats, Floats]:
    """Lag of every pair up to the longest, and the change at its postsynaptic spike."""
    network = Network(
        neurons=[WinnerTakeAll("pre", 1, PAIRING_HZ), WinnerTakeAll("post", 1, PAIRING_HZ)],
        projections=[Projection("pre", "post", _synapses(rule))],
    )
    log = EventLog("spikes", traces={"pre->post": [(0, 0)]})
    start = rule.theta_0 + math.log(PAIRED_WEIGHT)
    Simulation(
        network,
        seed=seed,
        sync_interval_s=DURATION_S,
        drift_interval_s=DURATION_S,
        observer=log,
        theta={"pre->post": start},
    ).run(DURATION_S)
    spikes, trace = log["spikes"], log["traces"]
    theta = np.concatenate([[start], trace["theta"]])
    pre_s, post_s = (spikes["time_s"][spikes["neuron"] == k] for k in (0, 1))
    # θ is recorded after every postsynaptic spike and when the drift is applied, which is 0 here.
    moved = np.isin(trace["time_s"], post_s)
    post_s, change = trace["time_s"][moved], np.diff(theta)[moved]
    first = np.searchsorted(post_s, pre_s - LONGEST_LAG_S)
    last = np.searchsorted(post_s, pre_s + LONGEST_LAG_S)
    which = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    lags = post_s[which] - np.repeat(pre_s, last - first)
    return lags, change[which] / (B * N * PAIRED_WEIGHT)


def _binned(lags: Floats, values: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Mean change and its standard error in each bin of the lag."""
    place = np.digitize(lags, edges) - 1
    inside = (place >= 0) & (place < edges.size - 1)
    place, values = place[inside], values[inside]
    count = np.bincount(place, minlength=edges.size - 1)
    mean = np.bincount(place, values, minlength=edges.size - 1) / count
    square = np.bincount(place, values**2, minlength=edges.size - 1) / count
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / count)


# -- measures: deviation from theory, and nulls with the timing undone --------------------


def _single_error(p: P, results: Results, order: int) -> Amount:
    """Largest deviation of single pairs from theory; with order −1 the lags are reversed."""
    return _largest(results["stdp"].single[:, ::order], results["stdp"].single_theory)


def _regular_error(p: P, results: Results, order: int) -> Amount:
    """Largest deviation of regular pairs from theory."""
    return _largest(results["stdp"].regular[::order], results["stdp"].regular_theory)


def _regular_sign(p: P, results: Results, order: int) -> float:
    """The smaller of potentiation at a lag of about 10 ms and depression at about −10 ms."""
    lag_s, change = results["stdp"].paired_lag.values, results["stdp"].regular.values[::order]
    after, before = (int(np.argmin(np.abs(lag_s - at))) for at in (SHORT_LAG_S, -SHORT_LAG_S))
    return float(min(change[after], -change[before]))


def _depression_slope(p: P, results: Results, order: int) -> float:
    """d log(depression)/dw at a lag at which the presynaptic spike has no effect."""
    change = results["stdp"].single.values[::order, 0]
    return float(np.polyfit(results["stdp"].weight.values, np.log(-change), 1)[0])


def _poisson_error(p: P, results: Results, pairs: str) -> Amount:
    """Root mean square deviation of Poisson pairs from theory, in standard errors."""
    stdp = results["stdp"]
    deviation = (stdp[pairs] - stdp.poisson_theory) / stdp[f"{pairs}_error"]
    return float(np.sqrt((deviation**2).mean()))


def _largest(measured: xr.DataArray, theory: xr.DataArray) -> float:
    return float(np.abs(measured.values - theory.values).max())


STDP_MEASURES: tuple[Measure, ...] = (
    *variants(_single_error, single_error=(1,), single_error_reversed=(-1,)),
    *variants(_regular_error, regular_error=(1,), regular_error_reversed=(-1,)),
    *variants(_regular_sign, regular_sign=(1,), regular_sign_reversed=(-1,)),
    *variants(_depression_slope, depression_slope=(1,), depression_slope_reversed=(-1,)),
    *variants(_poisson_error, poisson_error=("poisson",), poisson_error_shuffled=("shuffled",)),
)


# -- claims --------------------

REVERSED = "the same curve with lags reversed"
PRECISION = "the simulator adds in single precision: 1e-6, with a margin"

STDP_CLAIMS = (
    Claim(
        "stdp-window",
        "A pair of spikes changes the synapse by the EPSP at its lag, minus α e^w",
        "Fig. 4B",
        "single_error",
        (None, 1e-4),
        reason=PRECISION,
        detail="largest deviation of Δw/(b N w²) from ε(lag) − α e^w, lags to 100 ms, three w",
        null_measure="single_error_reversed",
        null_description=REVERSED,
        exact=True,
        kind="statement",
    ),
    Claim(
        "stdp-weight",
        "The depression grows with the weight, as e^w",
        "Fig. 4B; synaptic sampling rule for spiking neurons",
        "depression_slope",
        (0.999, 1.001),
        reason="1 is e^w; " + PRECISION,
        detail="slope of log(depression/(b N w)) against w, lag −97.5 ms",
        null_measure="depression_slope_reversed",
        null_description="the weights in reverse order",
        exact=True,
        kind="implication",
    ),
    Claim(
        "stdp-regular",
        "Regular pairs at 20 Hz change it by the EPSPs of all earlier pairs, minus α e^w",
        "Fig. 4C",
        "regular_error",
        (None, 1e-4),
        reason=PRECISION,
        detail="largest deviation of Δw/(b N w²) per pair, five pairs, lags to half a period",
        null_measure="regular_error_reversed",
        null_description=REVERSED,
        exact=True,
        kind="statement",
    ),
    Claim(
        "stdp-sign",
        "Pre before post potentiates and post before pre depresses, at 20 Hz as in the experiment",
        "Fig. 4C",
        "regular_sign",
        (0.05, None),
        reason="more than a tenth of the depression by a single pair at w = 1, 0.37",
        detail="Δw/(b N w²) per pair, w = 1: the smaller of the increase at a lag of about 10 ms "
        "and the decrease at −10 ms",
        null_measure="regular_sign_reversed",
        null_description=REVERSED,
        exact=True,
        kind="statement",
    ),
    Claim(
        "stdp-poisson",
        "With Poisson spikes of 20 Hz on both sides the window is the same, shifted up by the "
        "mean input",
        "Fig. 4C",
        "poisson_error",
        (None, 1.25),
        unit="σ",
        reason="chance alone gives 1; a bias of one standard error would give 1.4",
        detail="root mean square deviation from theory over 80 bins of the lag, in standard errors",
        null_measure="poisson_error_shuffled",
        null_description="lags shuffled among pairs",
        kind="statement",
    ),
)
