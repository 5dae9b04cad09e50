import numpy as np
import pandas as pd
import pytest

import synsamp as ss
from synsamp import arguments, data, packing, spiking
from synsamp.errors import SynsampError

NOT_A_NUMBER = [
    None,
    "3",
    b"3",
    True,
    np.True_,
    [1.0],
    np.ones(2),
    float("nan"),
    float("inf"),
    1j,
    object(),
    10**400,
]


@pytest.mark.parametrize("value", NOT_A_NUMBER, ids=lambda v: repr(v)[:20])
def test_a_number_is_a_finite_real_scalar(value):
    with pytest.raises(SynsampError, match=r"^dt must be a finite number > 0, got"):
        arguments.number("dt", value, above=0)


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.int8(3), np.array(3.0)])
def test_any_kind_of_number_is_taken(value):
    found = arguments.number("dt", value, above=0, at_most=3)
    assert type(found) is float
    assert found == 3.0


@pytest.mark.parametrize(
    ("bounds", "value"),
    [({"above": 0}, 0), ({"at_least": 0}, -1e-9), ({"below": 1}, 1), ({"at_most": 1}, 1.01)],
)
def test_bounds_are_kept(bounds, value):
    with pytest.raises(SynsampError):
        arguments.number("x", value, **bounds)
    with pytest.raises(SynsampError):
        arguments.numbers("x", [0.5, value], **bounds)


@pytest.mark.parametrize("value", [None, "3", True, 2.0, 2.5, float("nan"), [2], np.float64(2)])
def test_a_whole_number_is_no_float(value):
    with pytest.raises(SynsampError, match=r"^steps must be a whole number >= 1, got"):
        arguments.whole("steps", value, at_least=1)


@pytest.mark.parametrize("value", [0, -1, 2**70])
def test_whole_numbers_have_bounds(value):
    with pytest.raises(SynsampError):
        arguments.whole("steps", value, at_least=1, at_most=2**62)


@pytest.mark.parametrize(
    "value", [None, "abc", ["a"], [[1, 2], [3]], {"a": 1}, [True, False], [1j], object()]
)
def test_numbers_are_an_array_of_real_numbers(value):
    with pytest.raises(SynsampError, match=r"^start must be an array of numbers, got"):
        arguments.numbers("start", value)


def test_a_shape_is_said_in_words():
    with pytest.raises(SynsampError, match=r"^start must have shape \(any, 2\), got \(3,\)"):
        arguments.numbers("start", [1, 2, 3], shape=(None, 2))
    assert arguments.numbers("start", [[1, 2]], shape=(None, 2)).dtype == np.float64


def test_indices_are_whole_and_in_range():
    assert arguments.wholes("neurons", [1, 2]).tolist() == [1, 2]
    assert arguments.wholes("neurons", []).size == 0
    for bad in ([0.5], [3], [-1], 1, [[1]], [2**63], "a"):
        with pytest.raises(SynsampError, match=r"^neurons "):
            arguments.wholes("neurons", bad, at_least=0, at_most=2)


def test_the_other_kinds():
    assert arguments.seed("seed", 7) == 7
    assert arguments.flag("exact", np.True_) is True
    assert arguments.one_of("mode", "a", ["a", "b"]) == "a"
    assert arguments.instance("x", 3, int) == 3
    for call in (
        lambda: arguments.seed("seed", -1),
        lambda: arguments.flag("exact", 1),
        lambda: arguments.text("name", ""),
        lambda: arguments.one_of("mode", "c", ["a", "b"]),
        lambda: arguments.instance("x", 3, (str, list)),
    ):
        with pytest.raises(SynsampError):
            call()


def test_an_error_is_one_short_line_whatever_the_value():
    with pytest.raises(SynsampError) as caught:
        arguments.text("name", np.zeros((100, 100)))
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


def test_whole_numbers_beyond_63_bits_raise_an_error_instead_of_wrapped():
    with pytest.raises(SynsampError, match=r"x must fit into 63 bits, got 9223372036854775808"):
        arguments.wholes("x", np.array([2**63], np.uint64))
    assert arguments.wholes("x", np.array([2**63 - 1], np.uint64)).tolist() == [2**63 - 1]


# -- masked arrays and tables --------------------

TAKES_ARRAYS = {
    "numbers": arguments.numbers,
    "number_or_numbers": arguments.number_or_numbers,
    "wholes": arguments.wholes,
    "flags": arguments.flags,
}


@pytest.mark.parametrize("take", TAKES_ARRAYS.values(), ids=TAKES_ARRAYS)
@pytest.mark.parametrize("within", [lambda a: a, lambda a: [a, a]], ids=["itself", "in a list"])
def test_masked_values_are_not_taken_as_numbers(take, within):
    masked = np.ma.masked_array([1, 0, 1], mask=[False, True, False])
    words = r"^rates must have no masked values, got 1 of 3; use \.filled\(value\) or \.compressed"
    with pytest.raises(SynsampError, match=words):
        take("rates", within(masked))


@pytest.mark.parametrize("mask", [np.ma.nomask, [False, False, False]])
def test_a_masked_array_that_masks_nothing_is_its_values(mask):
    free = np.ma.masked_array([1, 0, 1], mask=mask)
    for take in TAKES_ARRAYS.values():
        found = take("rates", free)
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, [1, 0, 1])


def test_series_and_tables_are_taken_as_their_values():
    row = pd.Series([1, 0, 1], index=[7, 3, 5])
    for take in TAKES_ARRAYS.values():
        np.testing.assert_array_equal(take("rates", row), [1, 0, 1])
    nullable = pd.Series([1, 0, 1], dtype="Int64")
    np.testing.assert_array_equal(arguments.wholes("rates", nullable), [1, 0, 1])
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    np.testing.assert_array_equal(arguments.numbers("rates", table), [[1.0, 3.0], [2.0, 4.0]])
    for missing in (pd.Series([1.0, None]), pd.Series([1, None], dtype="Int64")):
        with pytest.raises(SynsampError, match=r"^rates must (be|have)"):
            arguments.numbers("rates", missing)


MASKED = np.ma.masked_array([[1.0, 0.0], [1.0, 1.0]], mask=[[False, True], [False, False]])
NETWORK = spiking.winner_take_all_network(2, 2)


def _entrances(numbers, flags):
    """Public calls that take an array of the user, by the name of the argument."""
    row = numbers[0]
    gaps = spiking.Projection("x", "z", spiking.SynapseModel(), mask=flags)
    return {
        "theta": lambda: spiking.Simulation(NETWORK, theta={"x->z": numbers}),
        "mask": lambda: spiking.Network(NETWORK.inputs, NETWORK.neurons, [gaps]),
        "which": lambda: spiking.RemoveSynapses("x->z", which=flags),
        "stimulus": lambda: spiking.Simulation(NETWORK, row),
        "presentation": lambda: spiking.Simulation(NETWORK, [_with_rates(numbers)]).run_until(1.0),
        "input": lambda: spiking.SpikeTimes([0.1, 0.2], row),
        "offset_s": lambda: spiking.stdp_curve(row),
        "images": lambda: data.digits_from_array(numbers[None], [1]),
        "labels": lambda: data.digits_from_array(np.zeros((2, 3, 3)), row.astype(int)),
        "rates_hz": lambda: data.RateSegments([0.1, 0.1], numbers),
        "durations_s": lambda: data.RateSegments(row + 1, np.ones((2, 3))),
        "image": lambda: data.encode_image(numbers, 0.1),
        "waveform": lambda: data.lyon_cochleagram(row, 8000.0),
        "samples": lambda: data.Utterance(1, "a", "1", row, 8000.0),
        "start": lambda: ss.sample(ss.Rule(prior=ss.Gaussian()), row, steps=2, dt=0.1),
        "speed": lambda: ss.Rule(prior=ss.Gaussian(), speed=row),
        "mean": lambda: ss.Gaussian(mean=row),
        "means": lambda: ss.GaussianMixture(means=row),
        "group": lambda: ss.PriorByGroup((ss.Flat(),) * 2, group=row.astype(int)),
        "weight": lambda: ss.Exponential().theta(row + 1),
    }


class _with_rates:  # noqa: N801 (a presentation of a user's own class)
    def __init__(self, rates_hz):
        self.durations_s, self.rates_hz = np.ones(len(rates_hz)), rates_hz


@pytest.mark.parametrize("name", _entrances(MASKED, MASKED > 0))
def test_no_entrance_drops_a_mask(name):
    with pytest.raises(SynsampError, match="no masked values, got 1 of"):
        _entrances(MASKED, MASKED > 0)[name]()


@pytest.mark.parametrize("kind", ["float64", "Float64"])
def test_no_entrance_takes_a_table_with_missing_values(kind):
    numbers = pd.DataFrame({"a": [1.0, None], "b": [1.0, 0.0]}, dtype=kind)
    flags = pd.DataFrame({"a": [True, None], "b": [True, False]}, dtype="boolean")
    gaps = spiking.Projection("x", "z", spiking.SynapseModel(), mask=flags)
    for call in (
        lambda: spiking.Simulation(NETWORK, theta={"x->z": numbers}),
        lambda: spiking.Network(NETWORK.inputs, NETWORK.neurons, [gaps]),
        lambda: spiking.RemoveSynapses("x->z", which=flags),
        lambda: data.RateSegments([0.1, 0.1], numbers),
        lambda: data.encode_image(numbers, 0.1),
        lambda: data.lyon_cochleagram(numbers["a"], 8000.0),
    ):
        with pytest.raises(SynsampError, match=r"must be"):
            call()


def test_a_checkpoint_refuses_a_mask(tmp_path):
    with (tmp_path / "state").open("wb") as file, pytest.raises(TypeError, match="masked values"):
        packing.write_packed(file, {"a": MASKED})
