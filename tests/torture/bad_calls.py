"""Calls of the command line that must raise an error: every command and option with bad values."""

from __future__ import annotations

import random

BAD_WORDS = (
    "", " ", "\t", "\n", "\0", "-", "---", "-x", "--no-such", "=", "a=b=c", "*", "?", "~",
    "$(x)", "`x`", "a" * 5000, "é" * 300, "🧠", "\x1b[31mred", "\r\nfake: line", "\u202e",
    "\udcff", "..", "../..", "%s", "{0}", "{{7*7}}", "<script>", "'", '"', "\\", "1;rm", "NaN",
    "None", "true", "[]", "{}",
)  # fmt: skip
BAD_NUMBERS = (
    "-1", "-0", "+1", "1.0", "1e3", "1_000", " 7", "7 ", "0x10", "٣", "²", "inf", "nan", "x",
    "", "1,000", "9" * 19, "9" * 31, "9" * 5000, "--1", "1 2", "1\n", "\0",
)  # fmt: skip
BAD_SETTINGS = (
    "", "=", "=1", "blocks", "blocks=", "blocks= ", "blocks=x", "blocks=-1", "blocks=0",
    "blocks=1e9", "blocks=99999999999999999999", "blocks=1.5", "blocks=true", "blocks=null",
    "blocks=[1]", "blocks={}", "blocks=NaN", "blocks=Infinity", "blocks=-Infinity",
    "blocks=1e400", "step=1", "step=null", "step.size=0", "step.size=-1", "step.size=1e300",
    "step.size=nan", "step.size=", "step.size.x=1", "step.=1", ".size=1", "step..size=1",
    "nothing=1", "__class__=1", "model_config=1", "levels=2,1", "levels=1,1", "levels=x,y",
    "levels=" + "1," * 50, "levels=[[[[]]]]", "levels=" + "[" * 5000, "label=" + "a" * 21,
    "label=\udcff", "trouble=explosion", "pause_s=-1", "pause_s=11", "trouble_at=-1",
    "checkpoint_every=0", "blocks=1\0", "a" * 3000 + "=1", "blocks=" + "9" * 5000,
    "blocks=1;seeds=2",
)  # fmt: skip
BAD_VARIES = (
    "", "=", "tosses", "tosses=", "tosses=,", "tosses=1,,2", "tosses=1,1", "tosses=x",
    "tosses=0,1", "tosses=1|", "coin=1,2", "coin={},{}", "coin.chance=2", "coin.chance=0.5,nan",
    "nothing=1,2", "coin.chance.x=1", "tosses=1e3,1000.5", "=1,2", "tosses=-5,-4,3",
    "tosses=\0", "coin.chance=" + "9" * 5000,
)  # fmt: skip
BAD_SCHEDULERS = (
    "", " ", "x", "localhost", "localhost:", "localhost:x", "localhost:0", "localhost:99999",
    ":8786", "tcp://", "tcp://:1", "tcp://a b:1", "http://localhost:8786", "ftp://x:1",
    "inproc://x", "//x:1", "127.0.0.1:8786/../x", "tcp://127.0.0.1", "[::1", "file", "full",
    "broken.json", "list.json", "noaddress.json", "badaddress.json", "nowhere.json",
    "/dev/zero", "/dev/null", "\0", "a" * 5000, "tcp://127.0.0.1:1\nx", "-1",
)  # fmt: skip
BAD_FOLDERS = (
    "", " ", "nowhere", "file", "full", "empty", "/dev/null", "/dev/zero", "pipe", "nowhere/x",
    "file/x", "\0", "a" * 300, "a/" * 3000, "loop", "/proc/self/mem", "~nobody/x", "\udcff",
    "/",
)  # fmt: skip
BAD_OUTS = (
    "", "file", "full", "file/x", "/dev/null", "/dev/full", "/dev/zero/x", "pipe", "loop/x",
    "\0", "a" * 300, "/proc/x", "/proc/self/x", "\udcff",
)  # fmt: skip
BAD_PICTURES = (
    "", "file", "x.jpg", "x", "x.PNG.gz", "nowhere/x.png", "file/x.png", "/dev/full", "pipe",
    "\0.png", "a" * 300 + ".png", "/proc/x.png", "loop/x.png",
)  # fmt: skip
BAD_TABLES = (
    "",
    "nowhere",
    "full",
    "empty",
    "file",
    "/dev/zero",
    "pipe",
    "\0",
    "loop",
    "image.png",
)


def calls():
    """Yield all bad calls, the same ones every time."""
    yield from by_hand()
    for command, options in OPTIONS.items():
        for option, values in options.items():
            for value in values:
                yield [*command.split(), option, value]
                if option.startswith("--"):
                    yield [*command.split(), f"{option}={value}"]
    for command, values in ARGUMENTS.items():
        for value in values:
            yield [*command.split(), value]
    yield from at_random(400)


RUNS = {
    "--seed": BAD_NUMBERS,
    "--preset": BAD_WORDS,
    "--out": BAD_OUTS,
    "--set": BAD_SETTINGS,
    "--workers": (*BAD_NUMBERS, "0", "1025"),
    "--scheduler": BAD_SCHEDULERS,
}
OPTIONS = {
    "run walk": RUNS | {"--trials": (*BAD_NUMBERS, "0", "1000001"), "--force": ("x",)},
    "sweep coins --vary tosses=1,2": RUNS
    | {"--trials": (*BAD_NUMBERS, "0", "1000001"), "--set": ("tosses=3", "coin.chance=7", "x")},
    "sweep coins --trials 1": {"--vary": BAD_VARIES},
    "resume good": {"--workers": (*BAD_NUMBERS, "0"), "--scheduler": BAD_SCHEDULERS},
    "report good": {"--out": [out for out in BAD_OUTS if not out.startswith("/proc")]},
    "spines table.csv": {
        "--out": ("", "/dev/full", "pipe", "\0.png", "a" * 300),
        "--days": ("", "x", "0,4,x", "4,0", "nan"),
        "--interval": ("", "x", "0", "-1", "inf"),
        "--offsets": ("", "mouse"),
        "--returns": ("", "never"),
        "--sheets": ("", "all", "some"),
        "--effect": ("", "1", "x"),
    },
    "spines plan": {"--effect": ("", "x", "0", "1", "-2", "nan", "inf")},
    "bench counting": {"--json": ("", "file", "full", "nowhere/x", "/dev/null", "pipe", "\0")},
    "data show digits": {"--out": BAD_PICTURES},
    "data fetch mnist": {"--from": BAD_FOLDERS},
    "data fetch fsdd": {"--from": BAD_FOLDERS},
}
ARGUMENTS = {
    "": BAD_WORDS,
    "run": BAD_WORDS,
    "list": BAD_WORDS,
    "sweep": BAD_WORDS,
    "resume": BAD_FOLDERS,
    "report": BAD_FOLDERS,
    "report good": BAD_FOLDERS,
    "spines": BAD_TABLES,
    "bench": [word for word in BAD_WORDS if word],
    "data": BAD_WORDS,
    "data fetch": BAD_WORDS,
    "data show": BAD_WORDS,
    "doctor": ("x", "--fix", ""),
}


def by_hand():
    yield ["run"]
    yield ["sweep"]
    yield ["sweep", "coins"]
    yield ["resume"]
    yield ["report"]
    yield ["spines"]
    yield ["data", "fetch"]
    yield ["data", "show"]
    yield ["run", "walk", "stroll"]
    yield ["run", "all", "--set", "blocks=3"]
    yield ["run", "walk", "--workers", "2", "--scheduler", "127.0.0.1:8786"]
    yield ["run", "walk", "--out"]
    yield ["run", "walk", "--set"]
    yield ["run", "walk", "--seed", "1", "--out", "good"]  # it holds a run
    yield ["sweep", "walk", "--vary", "blocks=1,2", "--vary", "blocks=3"]
    yield ["sweep", "walk", "--vary", "blocks=1,2", "--set", "blocks=3"]
    yield ["run", "walk", "--set", "step=1", "--set", "step.size=2"]
    yield ["report", "good", "nowhere"]
    yield ["report", "/", "good"]
    yield ["spines", "table.csv", "--out", "table.csv"]
    many = ",".join(map(str, range(1, 3001)))
    yield ["sweep", "coins", "--vary", f"tosses={many}", "--vary", f"coin.chance={many}"]
    yield ["LIST"]
    yield ["list", "walk", "stroll"]
    yield ["--version"]
    yield ["--seed", "1", "run", "walk"]


def at_random(count):
    """Calls put together from all words above: a random one at a random place."""
    rng = random.Random(20150713)
    pool = [*BAD_WORDS, *BAD_NUMBERS, *BAD_SETTINGS, *BAD_OUTS, *BAD_SCHEDULERS]
    starts = [f"{command} {option}" for command in OPTIONS for option in OPTIONS[command]]
    for _ in range(count):
        words = rng.choice(starts).split()
        yield [*words, rng.choice(pool), rng.choice(pool)]
