"""The timing curve of Fig. 4B, C as claims. But for Poisson pairs nothing is random."""

from __future__ import annotations

from synsamp.claims import Claim

REVERSED = "the same curve with lags reversed"
PRECISION = "the engine adds in single precision: 1e-6, with a margin"

STDP_CLAIMS = (
    Claim(
        "stdp-window",
        "A pair of spikes changes the synapse by the EPSP at its lag, less α e^w",
        "Fig. 4B",
        "single_error",
        (None, 1e-4),
        reason=PRECISION,
        detail="largest deviation of Δw/(b N w²) from ε(lag) − α e^w, lags to 100 ms, three w",
        null_measure="single_error_reversed",
        null_description=REVERSED,
        exact=True,
    ),
    Claim(
        "stdp-weight",
        "The depression grows with the weight, as e^w",
        "Fig. 4B, structsamp-spiking",
        "depression_slope",
        (0.999, 1.001),
        reason="1 is e^w; " + PRECISION,
        detail="slope of log(depression/(b N w)) against w, lag −97.5 ms",
        null_measure="depression_slope_reversed",
        null_description="the weights in reverse order",
        exact=True,
    ),
    Claim(
        "stdp-regular",
        "Regular pairs at 20 Hz change it by the EPSPs of all pairs before, less α e^w",
        "Fig. 4C",
        "regular_error",
        (None, 1e-4),
        reason=PRECISION,
        detail="largest deviation of Δw/(b N w²) per pair, five pairs, lags to half a period",
        null_measure="regular_error_reversed",
        null_description=REVERSED,
        exact=True,
    ),
    Claim(
        "stdp-sign",
        "Pre before post strengthens and post before pre weakens, at 20 Hz as in the experiment",
        "Fig. 4C",
        "regular_sign",
        (0.05, None),
        reason="more than a tenth of the depression at w = 1 that a pair has by itself, 0.37",
        detail="Δw/(b N w²) per pair, w = 1: the smaller of its rise at a lag of about 10 ms and "
        "its fall at −10 ms",
        null_measure="regular_sign_reversed",
        null_description=REVERSED,
        exact=True,
    ),
    Claim(
        "stdp-poisson",
        "With Poisson spikes of 20 Hz on both sides the window is the same, lifted by the mean "
        "input",
        "Fig. 4C",
        "poisson_error",
        (None, 1.25),
        unit="σ",
        reason="chance alone gives 1; a bias of one standard error would give 1.4",
        detail="root mean square deviation from the law over 80 bins of the lag, in standard "
        "errors",
        null_measure="poisson_error_shuffled",
        null_description="lags shuffled among pairs",
    ),
)
