"""What the kernel's machine code must not contain, and how it is kept."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba import njit
from numba.core.dispatcher import Dispatcher

from oracles.from_python import from_python
from synsamp.spiking import Simulation, winner_take_all_network
from synsamp.spiking.kernel import loop, random
from synsamp.spiking.kernel.arrays import KernelArrays, array
from synsamp.spiking.kernel.compiling import inlined


@pytest.fixture(scope="module")
def code():
    Simulation(winner_take_all_network(20, 3), np.full(20, 10.0)).run(0.5)
    signature = loop.run.signatures[0]
    fresh = njit(**loop.run.targetoptions)(loop.run.py_func)  # code from disk cannot be read
    fresh.compile(signature)
    return fresh.inspect_llvm(signature)


def test_the_loop_does_not_count_references(code):
    assert code.count("define") > 20
    for name in ("NRT_incref", "NRT_decref", "NRT_MemInfo", "atomicrmw"):
        assert name not in code


def test_a_function_that_counts_references_would_be_seen():
    """Negative control: the usual way of compiling counts them."""

    @njit
    def keeps(values, out):
        for i in range(3):
            out = values[i:]
        return out

    keeps(np.zeros(5), np.zeros(5))
    assert "NRT_incref" in keeps.inspect_llvm(keeps.signatures[0])


class Pair(KernelArrays):
    one = array("float64")
    table = array("int64", 2)


@from_python
@inlined
def _add(pair):
    pair.one[0] += pair.table[1, 2]
    return pair.one.size + pair.table.shape[0]


def test_a_record_is_read_and_written_through_its_pointer():
    pair = Pair(one=np.zeros(4), table=np.arange(6).reshape(2, 3))
    assert _add(pair) == 6
    assert pair.one.tolist() == [5.0, 0.0, 0.0, 0.0]
    copy = pair.copy()
    _add(copy)
    assert (pair.one[0], copy.one[0]) == (5.0, 10.0)
    assert pair.replace(one=np.ones(4)).table is pair.table


@pytest.mark.parametrize(
    "arrays",
    [
        {"one": np.zeros(4)},
        {"one": np.zeros(4, np.float32), "table": np.zeros((2, 3), np.int64)},
        {"one": np.zeros((4, 1)), "table": np.zeros((2, 3), np.int64)},
        {"one": np.zeros(8)[::2], "table": np.zeros((2, 3), np.int64)},
    ],
)
def test_a_record_takes_no_other_arrays(arrays):
    with pytest.raises(TypeError):
        Pair(**arrays)


def test_all_kernels_have_a_name_under_which_the_disk_keeps_them():
    """A kernel that cannot be described would be compiled anew in every process."""
    names = [
        value.py_func.__name__
        for module in (loop, random)
        for value in vars(module).values()
        if isinstance(value, Dispatcher) and "no_cpython_wrapper" not in value.targetoptions
    ]
    kernels = {
        "run",
        "deliver",
        "recompute_all_potentials",
        "read_potentials",
        "replay",
        "_fill_alias_table",
    }
    ours = {name for name in names if name.rpartition("_")[0] in kernels}
    assert len(ours) == len(kernels)
    assert not [name for name in ours if name.endswith("_unnamed")]


def test_a_second_process_compiles_nothing():
    """What one process has compiled, the next one takes from disk: all of it."""
    program = textwrap.dedent(
        """
        import numpy as np
        from numba.core import event
        from synsamp.spiking import Simulation, winner_take_all_network

        with event.install_recorder("numba:run_pass") as passes:
            Simulation(winner_take_all_network(20, 3), np.full(20, 10.0)).run(0.5)
        print(len(passes.buffer))
        """
    )
    found = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert found[1].stdout.strip() == "0"
