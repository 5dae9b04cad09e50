"""A toy benchmark with a peer that is missing."""

from benchmarks import markdown_table, missing_peer, peer_python

TITLE = "Counting to three"


def run():
    note = "" if peer_python("abacus") else missing_peer("abacus")
    return [
        {"tool": "synsamp", "updates / s": 1234567.0, "note": ""},
        {"tool": "abacus", "updates / s": None, "note": note},
    ]


table = markdown_table
