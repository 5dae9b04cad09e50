"""Coins with nulls, and with more than one preset of the paper, for what runs the whole paper."""

from __future__ import annotations

from dataclasses import replace

from synsamp.claims import Claim
from synsamp.experiments.loading import Given
from synsamp.experiments.registry import Entry, Registry
from toys import coins

CLAIMS = (
    Claim(
        "heads", "Heads come up", "Fig. 0A", "heads", (0.3, None), unit="of tosses",
        reason="more than a bent coin", paper=0.5, null_measure="heads_of_a_bent_coin",
        null_description="a coin that falls on its tail",
    ),
    Claim(
        "mostly", "Heads come up | mostly", "Fig. 0B", "mostly", (0.9, 1.0), reason="nearly always",
        null_measure="never", null_description="no coin",
    ),
)  # fmt: skip


def measures(p, results):
    share = float(results["tossed"].share)
    return {
        "heads": share, "heads_without_noise": 0.5, "heads_of_a_bent_coin": 0.02 * share,
        "mostly": share > 0.5, "never": False, "kind": float(share > 0.5),
    }  # fmt: skip


TOSSED = replace(
    coins.EXPERIMENT,
    claims=CLAIMS,
    measures=measures,
    presets={
        "quick": coins.CoinParameters(tosses=1),
        "paper": coins.CoinParameters(),
        "paper_fair": coins.CoinParameters(tosses=60),
    },
    trials={"paper": 3, "paper_fair": 2},
)
COINS = Registry([Entry("coins", "fig000", "Tossing coins", Given(TOSSED))])
