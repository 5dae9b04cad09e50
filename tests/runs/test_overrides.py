"""``--set``: any text either gives valid parameters or one clear error."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.overrides import flat, meanings, override, restore
from toys.walk import EXPERIMENT, WalkParameters

PRESETS = [EXPERIMENT.presets["quick"]] + [
    preset for entry in REGISTRY for preset in entry.load().presets.values()
]
presets = st.sampled_from(PRESETS)
keys_of = {id(preset): list(flat(preset.model_dump(mode="json"))) for preset in PRESETS}


def check(preset, settings_):
    found = refused = None
    try:
        found = override(preset, settings_)
    except SynsampError as error:
        refused = str(error)
    if found is None:
        assert len(refused.splitlines()) == 1
        return
    dumped = json.loads(json.dumps(found.model_dump(mode="json"), allow_nan=False))
    assert restore(type(preset), dumped, "here") == found


@given(presets, st.lists(st.text(max_size=30), max_size=3))
@example(PRESETS[0], ["step={}"])
@example(PRESETS[0], ["step=1", "step.size=2"])
@example(PRESETS[0], ["levels=" + "[" * 100_000])
@example(PRESETS[0], ["blocks=" + "9" * 5000])
@example(PRESETS[0], ["step.size=1e999"])
@example(PRESETS[0], ["label=\udc80"])
@example(PRESETS[0], ['label="\\ud800"'])
def test_any_text_works_or_raises_a_one_line_error(preset, texts):
    check(preset, texts)


@given(st.data(), presets)
@settings(max_examples=300)
def test_any_value_of_a_known_key_works_or_raises_a_one_line_error(data, preset):
    key = data.draw(st.sampled_from(keys_of[id(preset)]))
    value = data.draw(
        st.text(max_size=20)
        | st.floats().map(str)
        | st.integers().map(str)
        | st.lists(st.floats(), max_size=4).map(lambda v: ",".join(map(str, v)))
        | st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2)
            ),
        ).map(json.dumps)
    )
    check(preset, [f"{key}={value}"])


@given(st.floats(1e-6, 1e6), st.integers(1, 10_000), st.lists(st.floats(-9, 9), unique=True))
def test_good_values_arrive_exactly(size, blocks, levels):
    levels = sorted(levels)[:8]
    found = override(
        EXPERIMENT.presets["quick"],
        [f"step.size={size!r}", f"blocks={blocks}", f"levels={json.dumps(levels)}"],
    )
    assert found == WalkParameters(
        blocks=blocks, levels=tuple(levels), step={"size": size, "bias": 0.0}
    )


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("label=1", "label", "1"),
        ("label=null", "label", "null"),
        ("label=a b=c", "label", "a b=c"),
        ("levels=0.25,1,4", "levels", (0.25, 1.0, 4.0)),
        ("levels=3", "levels", (3.0,)),
        ("levels=", "levels", ()),
        ("blocks=1e3", "blocks", 1000),
        (" blocks = 7", "blocks", 7),
        ("step.size=.5", "step.size", 0.5),
        ('step={"size": 2, "bias": 1}', "step.bias", 1.0),
    ],
)
def test_values_are_read_as_one_would_write_them(setting, key, value):
    found = override(EXPERIMENT.presets["quick"], [setting])
    for part in key.split("."):
        found = getattr(found, part)
    assert found == value


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("step.sise=2", ["--set", "step.sise", "did you mean step.size?"]),
        ("stepsize=2", ["did you mean step.size?"]),
        ("blocks.x=2", ["--set", "blocks.x", "did you mean blocks?"]),
        ("blocks", ["--set", "key=value", "--set blocks=20"]),
        ("step.size=-3", ["step.size", "must be greater than 0", "-3", "the preset has 1.0"]),
        ("blocks=many", ["blocks", "must be a valid integer", "many", "the preset has 20"]),
        ("blocks=2.5", ["blocks", "integer", "2.5"]),
        ("step.size=nan", ["step.size", "must be a finite number", "nan"]),
        ("trouble=flood", ["trouble", "'none'", "flood"]),
        ("levels=2,1", ["levels must rise", "2,1"]),
        ("label=" + "x" * 500, ["label", "at most 20 characters"]),
    ],
)
def test_an_error_gives_name_rule_value_and_remedy(setting, words):
    with pytest.raises(SynsampError) as caught:
        override(EXPERIMENT.presets["quick"], [setting])
    for word in words:
        assert word in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_list_of_words_needs_no_brackets():
    preset = REGISTRY.find("prior_comparison").load().presets["quick"]
    assert override(preset, ["priors=uniform, bimodal"]).priors == ("uniform", "bimodal")
    with pytest.raises(SynsampError, match="priors"):
        override(preset, ["priors=uniform,nonsense"])


def test_every_parameter_has_a_meaning():
    for experiment in [EXPERIMENT, *(entry.load() for entry in REGISTRY)]:
        unexplained = [key for key, text in meanings(experiment.parameters).items() if not text]
        assert unexplained == [], experiment.name
