"""What the paper says of why it works, asked in both readings of a retracted synapse.

As printed, structsamp-spiking acts at all θ with w = exp(θ − θ0); the text says that a retracted
synapse feels no likelihood. In words: *printed* and *no likelihood*.
"""

from __future__ import annotations

from synsamp.claims import Claim

AGAIN = "a copy with nothing changed but the noise"
USEFUL = (
    "share of useful eliminated connections (two neurons most tuned to the new digit, 20 inputs) "
    "that are back at the end of its phase"
)
IN_WORDS = {"printed": "printed", "no_likelihood": "no likelihood for θ ≤ 0"}


def _noise_rewires(reading: str, words: str) -> Claim:
    return Claim(
        f"noise-rewires-{reading.replace('_', '-')}",
        f"The network needs noise to rewire itself for the new digit ({words})",
        "Sec. Fast adaptation, last paragraph",
        f"rewired_noise_off_{reading}",
        (None, 0.5),
        unit="× with noise",
        reason="“essential”: without it at most half is left",
        detail=f"{USEFUL}, with T = 0 in that phase relative to T as it is",
        null_measure=f"rewired_again_{reading}",
        null_description=AGAIN,
    )


def _noise_retunes(reading: str, words: str) -> Claim:
    return Claim(
        f"noise-retunes-{reading.replace('_', '-')}",
        f"Neurons need noise to specialise on the new digit ({words})",
        "Sec. Fast adaptation, last paragraph",
        f"retuned_noise_off_{reading}",
        (None, 0.5),
        unit="× with noise",
        reason="“essential”: without it at most half is left",
        detail="neurons turned to the new digit at the end of its phase, with T = 0 in that phase "
        "relative to T as it is",
        null_measure=f"retuned_again_{reading}",
        null_description=AGAIN,
    )


def _prior_sparse(reading: str, words: str) -> Claim:
    return Claim(
        f"prior-sparse-{reading.replace('_', '-')}",
        f"The prior keeps connections sparse ({words})",
        "Sec. Fast adaptation, last paragraph; Fig. 4H",
        f"connected_no_prior_{reading}",
        (1.1, None),
        unit="× with prior",
        reason="“ensures”: without it there would be at least a tenth more",
        detail="active share at the end of the new digit's phase in a circuit without prior from "
        "the start on, relative to the circuit as it is",
        null_measure=f"connected_again_{reading}",
        null_description=AGAIN,
    )


MECHANISM_CLAIMS = (
    Claim(
        "regrowth-undriven",
        "Regrowth is almost entirely driven by the prior and the noise",
        "Sec. Fast adaptation, on Fig. 4G",
        "regrown",
        (0.9, None),
        unit="× printed",
        reason="“almost entirely”: nine of ten come back without the likelihood",
        detail=f"{USEFUL}, if retracted synapses feel no likelihood, relative to the rule as "
        "printed",
        null_measure="regrown_noise_off",
        null_description="the noise off as well: the prior alone",
    ),
    Claim(
        "dots-by-noise",
        "Tentative regrowth at background inputs is driven by the noise (printed)",
        "Sec. Fast adaptation, on Fig. 4F",
        "dots_noise_off_printed",
        (None, 0.1),
        unit="× with noise",
        reason="“almost entirely”: without noise at most one of ten is left",
        detail="connections at background inputs that appear from one snapshot to the next in the "
        "new digit's phase, with T = 0 relative to T as it is",
        null_measure="dots_again_printed",
        null_description=AGAIN,
    ),
    *(_noise_rewires(*each) for each in IN_WORDS.items()),
    *(_noise_retunes(*each) for each in IN_WORDS.items()),
    *(_prior_sparse(*each) for each in IN_WORDS.items()),
)
