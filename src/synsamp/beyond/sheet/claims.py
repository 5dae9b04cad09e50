"""Claims about the sheet: wiring by distance, turnover by age, rewiring around the lesion."""

from __future__ import annotations

from synsamp.claims import Claim

SOURCE = "distance-dependent priors"

CLAIMS = (
    Claim(
        "distance",
        "Connection probability follows the rule of distance in the prior, although activity and "
        "plasticity act as well",
        SOURCE,
        "fall_with_distance",
        (0.8, 1.2),
        unit="slope of log probability, in units of −1/λ",
        reason="1: the rule; a fifth to either side for plasticity",
        detail="before the lesion, in eight rings of distance",
        null_measure="fall_at_start",
        null_description="the random wiring from which the sheet starts",
    ),
    Claim(
        "age",
        "The older a connection, the less likely it is lost: turnover falls with age",
        "Holtmaat et al. 2005; Loewenstein et al. 2015",
        "loss_of_old",
        (None, 0.5),
        unit="times the loss rate of young connections",
        reason="1: age does not matter; at most half",
        detail="older than σ²/b against younger than a tenth of it, in the twin",
        null_measure="loss_of_old_at_random",
        null_description="as many connections lost, whatever their age",
    ),
    Claim(
        "deprived",
        "Next to the lesion, neurons fire less",
        "Keck et al. 2008",
        "rate_near",
        (None, 0.97),
        unit="times the rate in the twin without lesion",
        reason="1: no change; at least 3 % less",
        detail="mean over the time after the lesion",
        null_measure="rate_far",
        null_description="neurons that no removed neuron could reach",
    ),
    Claim(
        "new-connections",
        "They gain more connections than in the twin without lesion",
        "Keck et al. 2008; Butz & van Ooyen 2013",
        "new_near",
        (1.05, None),
        unit="times the new connections in the twin",
        reason="1: no effect; at least 5 % more, twice the scatter of this ratio in one network",
        detail="functional in the second half of the time after the lesion, but not at the lesion; "
        "between spared neurons",
        null_measure="new_far",
        null_description="neurons that no removed neuron could reach",
    ),
)
