"""The lab's page: every control, what it saves, and how it behaves with bad messages."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from typing import Any

import pytest

from browser import CHROMIUM, needs_browser
from lab.page_in_browser import Engine, LabPage, served
from synsamp.lab.host import Host
from synsamp.lab.scenes import SCENES

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = needs_browser

HOSTILE = '<img src=x onerror="window.alive=1">“</script><script>window.alive=1</script>'


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield found
        found.close()


@pytest.fixture(scope="module")
def address():
    with served() as found:
        yield found


@pytest.fixture(scope="module")
def lab(browser, address):
    """One page for all tests of controls; it pauses, so that nothing moves by itself."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = LabPage(context, address, Engine(Host(SCENES))).open()
    page.until("lab.session.tick > 40")
    page.ask("lab.session.pause()")
    yield page
    assert page.wrong == []
    context.close()


def new_page(browser, address, rewrite=None, **options: Any) -> LabPage:
    options.setdefault("viewport", {"width": 1400, "height": 900})
    return LabPage(browser.new_context(**options), address, Engine(Host(SCENES), rewrite))


# -- every control changes what it names --------------------


def test_every_number_has_symbol_unit_value_and_a_way_back(lab):
    knobs = lab.ask("lab.session.scene.knobs")
    shown = lab.page.locator(".knob").count()
    assert shown == len([k for k in knobs if k["kind"] in ("number", "switch", "digits")])
    for knob in [k for k in knobs if k["kind"] == "number"]:
        row = lab.page.locator(".knob", has_text=knob["label"])
        assert knob["symbol"] in row.inner_text()
        assert knob["unit"] in row.inner_text()
        box = row.locator("input.value")
        value = 0.5 * (knob["min"] + knob["max"])
        box.fill(str(value))
        box.press("Enter")
        lab.setting(knob["name"], pytest.approx(value))
        row.get_by_role("button", name="Reset").click()
        lab.setting(knob["name"], knob["value"])
        assert lab.ask("lab.session.settings")[knob["name"]] == knob["value"]


def test_slider_changes_the_engine(lab):
    slider = lab.page.get_by_role("slider", name="temperature slider")
    slider.focus()
    before = lab.settings()["temperature"]
    slider.press("ArrowRight")
    lab.eventually(lambda: lab.settings()["temperature"] > before)
    lab.page.locator(".knob", has_text="temperature").get_by_role("button", name="Reset").click()
    lab.setting("temperature", 1)


def test_number_out_of_range_stays_in_the_page(lab):
    sent = len(lab.engine.actions)
    box = lab.page.locator(".knob", has_text="temperature").locator("input.value")
    box.fill("-3")
    box.press("Enter")
    assert "Give a number from 0" in box.evaluate("box => box.validationMessage")
    lab.read("log")
    assert len(lab.engine.actions) == sent
    box.fill("1")
    box.press("Enter")


def test_digits_shown(lab):
    lab.page.get_by_role("button", name="2", exact=True).click()
    lab.setting("stimuli", [1])
    lab.page.locator(".knob", has_text="digits shown").get_by_role("button", name="Reset").click()
    lab.setting("stimuli", [1, 2])


def test_time_scale_play_and_pause(lab):
    lab.page.get_by_role("button", name="100×", exact=True).click()
    lab.page.get_by_role("button", name="Play").click()
    lab.eventually(lambda: lab.engine.newest("play").get("speed"), 100)
    lab.page.get_by_role("button", name="full", exact=True).click()
    lab.eventually(lambda: lab.engine.newest("play")["speed"], None)
    pauses = len(lab.engine.of_type("pause"))
    lab.page.get_by_role("button", name="Pause").click()
    lab.eventually(lambda: len(lab.engine.of_type("pause")), pauses + 1)
    lab.until("lab.session.playing === false")


def test_drag_a_box_and_lesion(lab):
    layer = lab.page.locator(".area-fields .layer").bounding_box()
    boxes = [b.bounding_box() for b in lab.page.locator(".area-fields .neuron").all()]
    mouse = lab.page.mouse
    mouse.move(layer["x"] + 2, layer["y"] + 4)
    mouse.down()
    mouse.move(boxes[1]["x"] + 10, boxes[1]["y"] + 30, steps=4)
    mouse.up()
    lab.eventually(lambda: lab.ask("[...lab.selection.neurons]"), [0, 1])
    lab.page.get_by_role("button", name="Lesion 2 marked neurons").click()
    lab.acts({"kind": "lesion", "what": "neurons", "population": None, "members": [0, 1]})
    lab.ask("lab.session.step(1)")
    lab.until("lab.data.twin === true && lab.data.arrays.alive[1] === 0")
    said = lab.page.locator(".gap").inner_text()
    assert re.search(r"after the lesion\s.*connections [\d,]+, twin [\d,]+", said, re.S), said
    assert "tuned to 2" in said
    assert lab.ask("[...lab.data.arrays.alive]") == [0, 0, *[1] * 8]
    assert lab.ask("[...lab.data.arrays['twin.alive']]") == [1] * 10
    assert lab.read("log")["log"][-1]["members"] == [0, 1]


def test_the_sentence_after_a_lesion_counts_from_the_lesion(lab):
    """While the network plays, frames from before the lesion still arrive after the click."""
    early, said = lab.page.evaluate("""async () => {
      const { Gap } = await import('./app/gap.js');
      const scene = { tick_s: 1, projections: [{ name: 'p' }] };
      const session = { scene, log: [{ kind: 'lesion', tick: 5 }], unsure: true, playing: true };
      const gap = new Gap({ session, composed: { noun: 'connections' } });
      const frame = (tick, active) => gap.update({
        tick, time_s: tick, twin: true, playing: false,
        arrays: { 'active.p': [active], 'twin.active.p': [900] },
      });
      frame(6, 900);
      const early = gap.element.hidden;
      Object.assign(session, { log: [{ kind: 'lesion', tick: 7 }], unsure: false });
      frame(8, 10);
      frame(20, 300);
      return [early, gap.element.textContent];
    }""")
    assert early is True
    assert "connections 10 → 300, twin 900" in said


def test_other_lesions_and_the_twin(lab):
    lab.page.get_by_role("button", name="All connections").click()
    lab.acts({"kind": "lesion", "what": "synapses", "projection": "x->z", "regrow": False})
    lab.page.get_by_role("button", name="Mark inputs", exact=True).click()
    image = lab.page.locator(".area-stimulus canvas").bounding_box()
    mouse = lab.page.mouse
    mouse.move(image["x"] + 60, image["y"] + 40)
    mouse.down()
    mouse.move(image["x"] + 100, image["y"] + 90, steps=3)
    mouse.up()
    lab.page.get_by_role("button", name=re.compile("Silence [0-9]+ marked inputs")).click()
    lab.eventually(lambda: lab.engine.actions[-1].get("what"), "inputs")
    silenced = lab.engine.actions[-1]
    assert silenced["group"] == "x"
    assert silenced["members"]
    lab.ask("lab.session.step(1)")
    lab.until("lab.data.arrays['active.x->z'][0] < lab.data.arrays['twin.active.x->z'][0]")
    lab.page.get_by_role("checkbox", name=re.compile("twin")).click()
    lab.ask("lab.session.step(1)")
    lab.until("lab.data.twin === false")


def test_own_drawing_reaches_the_network(lab):
    lab.page.get_by_role("button", name="Draw", exact=True).click()
    image = lab.page.locator(".area-stimulus canvas").bounding_box()
    mouse = lab.page.mouse
    mouse.move(image["x"] + 60, image["y"] + 40)
    mouse.down()
    mouse.move(image["x"] + 120, image["y"] + 120, steps=8)
    mouse.up()
    lab.eventually(lambda: lab.engine.actions[-1]["kind"], "draw")
    picture = lab.engine.actions[-1]["picture"]
    assert len(picture) == 784
    assert max(picture) == 1
    assert 10 < sum(v > 0.5 for v in picture) < 300
    lab.ask("lab.session.step(2)")
    lab.until("lab.data.label === null")
    lab.ask("lab.session.step(2)")
    lab.page.get_by_text("of the spikes came from neurons tuned to").wait_for()
    lab.until("lab.session.speed === 10")
    lab.page.get_by_role("button", name="Back to the digits").click()
    lab.acts({"kind": "draw", "picture": None})
    lab.until("lab.session.speed === null")


def test_pointer_follows_a_synapse(lab):
    box = lab.page.locator(".area-fields .neuron").nth(5).bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    lab.eventually(lambda: (lab.engine.newest("view").get("pointer") or {}).get("post"), 5)
    pointer = lab.engine.newest("view")["pointer"]
    assert pointer["projection"] == "x->z"
    assert abs(pointer["pre"] // 28 - 14) <= 1
    assert abs(pointer["pre"] % 28 - 14) <= 1


def test_time_line_returns_to_a_mark(lab):
    line = lab.page.get_by_role("slider", name=re.compile("Time line"))
    line.focus()
    line.press("Home")
    line.press("Enter")
    lab.eventually(lambda: lab.engine.newest("goto"), {"type": "goto", "tick": 0})
    lab.until("lab.data.tick === 0")
    assert lab.ask("lab.session.log") == []
    assert lab.ask("lab.history.time.length") <= 1


def test_time_line_returns_to_any_moment_and_the_run_continues_differently(lab):
    lab.ask("lab.session.step(40)")
    lab.until("lab.data.tick === 40")
    line = lab.page.locator(".timeline").bounding_box()
    place = lab.ask("14 + (lab.timeline.size.width - 28) * 17 * 0.25 / 1.5 ** 11")
    lab.page.mouse.click(line["x"] + place, line["y"] + 22)
    lab.until("lab.data.tick < 40")
    tick = lab.ask("lab.data.tick")
    assert 10 < tick < 30
    lab.ask("lab.set({name: 'temperature'}, 3)")
    lab.ask(f"lab.session.step({40 - tick})")
    lab.until("lab.data.tick === 40")
    assert [action["tick"] for action in lab.read("log")["log"]] == [tick]
    lab.ask("lab.session.goto(0)")
    lab.until("lab.data.tick === 0")


@pytest.mark.parametrize("scene", ["landscape", "spines", "senses", "reward"])
def test_every_scene_draws_and_its_knobs_reach_the_engine(browser, address, scene):
    page = new_page(browser, address).open(f"scene={scene}&seed=1")
    page.ask("lab.session.pause()")
    for knob in page.ask("lab.session.scene.knobs.filter(k => k.kind === 'number')"):
        row = page.page.locator(".knob", has_text=knob["label"])
        box = row.locator("input.value")
        value = float(f"{0.7 * knob['value'] + 0.3 * knob['max']:.4g}")
        box.fill(str(value))
        box.press("Enter")
        page.setting(knob["name"], pytest.approx(value))
    if scene == "landscape":
        handle = page.page.get_by_role("button", name=re.compile("Peak 1"))
        before = page.read("settings")["settings"]["peaks"]
        handle.press("ArrowRight")
        page.setting("peaks", [[before[0][0] + 0.1, *before[0][1:]], *before[1:]])
    if scene == "senses":
        page.page.get_by_role("button", name="All lateral connections").click()
        page.ask("lab.session.step(1)")
        page.until("lab.data.arrays['active.lateral'][0] < 20")
        assert page.ask("lab.data.arrays['twin.active.lateral'][0]") > 1000
    if scene == "spines":
        page.page.locator(".area-dendrite .layer").hover(position={"x": 300, "y": 100})
        page.eventually(lambda: page.engine.newest("view")["pointer"]["pre"] > 0)
    page.ask("lab.session.step(3)")
    page.until("lab.session.tick >= 3")
    assert page.ask("document.documentElement.scrollHeight") <= 900
    page.eventually(lambda: page.ask(BLANK), [])
    steps = page.ask("lab.tour.steps.length")
    assert steps == 5
    assert page.wrong == []
    page.page.context.close()


BLANK = """lab.pictures.filter(picture => {
  const { width, height } = picture.canvas;
  const pixels = picture.canvas.getContext('2d').getImageData(0, 0, width, height).data;
  return !pixels.some(v => v !== 0);
}).map(picture => picture.title)"""
"""Pictures on which nothing is drawn."""


# -- what leaves the page --------------------


def test_address_repeats_the_session(browser, address, lab):
    lab.ask("lab.session.goto(0)")
    lab.until("lab.data.tick === 0")
    lab.ask("lab.set({name: 'temperature'}, 0.5)")
    lab.ask("lab.session.step(30)")
    lab.until("lab.session.tick === 30")
    hash_ = lab.ask("lab.address()")
    theta = lab.page.evaluate(THETA)
    other = new_page(browser, address).open(hash_.lstrip("#"), ready=False)
    other.until("lab.session?.tick === 30")
    assert other.read("settings")["settings"]["temperature"] == 0.5
    assert other.page.evaluate(THETA) == theta
    opened = other.engine.of_type("open")[0]
    assert opened["seed"] == 3
    assert opened["actions"] == [{"tick": 0, "kind": "set", "name": "temperature", "value": 0.5}]
    other.page.context.close()


def test_address_has_the_ticks_at_which_the_engine_acted(browser, address):
    """While it plays, an action is applied later than the frame that the page shows."""
    page = new_page(browser, address).open("scene=landscape&seed=2")
    page.until("lab.session.tick > 20")
    for value in (0.5, 2.0):
        page.ask(f"lab.set({{name: 'temperature'}}, {value})")
        page.eventually(lambda: [one["value"] for one in page.read("log")["log"]][-1:], [value])
    state = page.page.evaluate("""async () => {
      const { readAddress } = await import('./app/address.js');
      return readAddress(await document.querySelector('.synsamp-lab').lab.address());
    }""")
    log = page.read("log")["log"]
    assert [action["value"] for action in log] == [0.5, 2.0]
    assert state["actions"] == log
    known = repr(json.dumps(log, separators=(",", ":")))
    page.until(f"JSON.stringify(lab.session.log) === {known}")
    bar = """async () => {
      const { readAddress } = await import('./app/address.js');
      return readAddress(location.hash).actions;
    }"""
    page.eventually(lambda: page.page.evaluate(bar), log)
    page.page.context.close()


def test_a_drawing_survives_the_address(lab):
    picture = [round(k % 101 / 100, 2) for k in range(784)]
    found = lab.page.evaluate(
        """async picture => {
          const { readAddress, writeAddress } = await import('./app/address.js');
          const actions = [{ tick: 3, kind: 'draw', picture }];
          const hash = writeAddress({ scene: 'digits', seed: 1, actions });
          return [hash.length, readAddress(hash).actions];
        }""",
        picture,
    )
    assert found[0] < 2000
    assert found[1] == [{"tick": 3, "kind": "draw", "picture": picture}]


THETA = """async () => {
  const answer = await document.querySelector('.synsamp-lab').lab.session.read('theta');
  return [...answer.arrays['x->z']];
}"""


def test_figures_are_svg_and_png(lab):
    with lab.page.expect_download() as saved:
        lab.page.get_by_role("button", name="Save figure").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "synsamp-digits.svg"
    assert text.startswith("<svg")
    assert "Receptive fields" in text
    assert "<script" not in text
    assert text.count("<image") >= 10
    with lab.page.expect_download() as saved:
        lab.page.get_by_role("button", name="All pictures as PNG").click()
    assert saved.value.suggested_filename == "synsamp-digits.png"
    with lab.page.expect_download() as saved:
        lab.page.locator(".area-connections").hover()
        lab.page.get_by_role("button", name="Save PNG of “Connections”").click()
    assert saved.value.path().read_bytes()[:4] == b"\x89PNG"


def test_numbers_are_csv(lab):
    lab.page.locator(".area-theta").hover()
    lab.page.get_by_role("button", name="Copy CSV of “All synapses”").click()
    lab.until("document.querySelector('.message').textContent.includes('clipboard')")
    rows = list(csv.DictReader(io.StringIO(lab.page.evaluate("navigator.clipboard.readText()"))))
    width = float(rows[0]["theta_to"]) - float(rows[0]["theta_from"])
    assert sum(float(row["density_network"]) for row in rows) * width == pytest.approx(1)


def test_saved_experiment_is_python(lab):
    with lab.page.expect_download() as saved:
        lab.page.get_by_role("button", name="Save as experiment").click()
    text = saved.value.path().read_text(encoding="utf-8")
    ast.parse(text)
    assert saved.value.suggested_filename.endswith(".py")
    assert "temperature" in text
    assert "0.5" in text


def test_numbers_over_time_stay_aligned_and_bounded(lab):
    found = lab.page.evaluate("""async () => {
      const { History } = await import('./app/history.js');
      const history = new History();
      for (let k = 0; k < 9000; k++) history.add(k, k < 10 ? { a: k } : { a: k, b: -k });
      history.cut(8000);
      history.add(8500, { b: -8500 });
      return { time: history.time, a: history.get('a'), b: history.get('b') };
    }""")
    time, a, b = found["time"], found["a"], found["b"]
    assert len(time) == len(a) == len(b) < 2500
    assert time[-1] == 8500
    assert time == sorted(time)
    for t, first, second in zip(time[:-1], a[:-1], b[:-1], strict=True):
        assert first == t < 8000
        assert second == -t or (t < 10 and second is None) or second != second
    assert b[-1] == -8500


# -- keyboard, screen readers, small screens --------------------


def test_keyboard_alone(lab):
    page = lab.page
    page.locator("h1").click()
    page.keyboard.press("Space")
    lab.until("lab.session.playing === true")
    page.keyboard.press("Space")
    lab.until("lab.session.playing === false")
    page.keyboard.press("t")
    assert page.locator(".tour h2").inner_text() == "Watch fields appear"
    page.keyboard.press("Enter")
    assert "step=2" in page.url
    page.keyboard.press("Escape")
    assert page.locator(".tour").is_hidden()
    assert "step" not in page.url
    page.locator(".area-fields .neuron").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    lab.eventually(lambda: lab.ask("[...lab.selection.neurons]"), [0, 1])
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keys").is_visible()
    page.keyboard.press("Escape")


def test_everything_has_a_name(lab):
    nameless = lab.ask("""[...document.querySelectorAll('button, input, select, canvas, [role]')]
        .filter(e => !e.closest('[hidden]') && !(e.ariaLabel || e.textContent.trim()
            || (e.labels ?? [])[0]?.textContent || e.getAttribute('aria-label')
            || e.parentElement.getAttribute('aria-label') || e.title))
        .map(e => e.outerHTML.slice(0, 80))""")
    assert [one for one in nameless if "message" not in one] == []


def test_one_screen_without_scrolling(lab):
    assert lab.ask("document.documentElement.scrollHeight") <= 900
    for canvas in lab.page.locator(".stage canvas").all():
        assert canvas.bounding_box()["height"] > 80


def test_compact_page_for_embedding(browser, address):
    size = {"width": 800, "height": 620}
    page = new_page(browser, address, viewport=size).open("scene=digits&compact&theme=dark")
    sides = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    page.eventually(lambda: page.ask(sides), [800, 620])
    assert page.ask("lab.theme.dark") is True
    shown = page.ask("lab.pictures.filter(p => p.element.checkVisibility()).map(p => p.area)")
    assert shown == ["fields", "connections", "recall"]
    assert page.page.get_by_role("button", name="All neurons tuned to 2").is_visible()
    whole = page.page.get_by_role("link", name="Open the whole lab")
    assert "scene=digits&seed=1" in whole.get_attribute("href")
    assert "compact" not in whole.get_attribute("href")
    page.page.get_by_role("button", name="Spines").click()
    page.until("lab.session?.scene?.name === 'spines'")
    assert page.page.get_by_role("link", name="Open the whole lab").is_visible()
    assert page.wrong == []
    page.page.context.close()


def test_phone_tour_and_reduced_motion(browser, address):
    """One page for three things: 390 px, a link to a step of the tour, and reduced motion."""
    page = new_page(
        browser, address, viewport={"width": 390, "height": 844}, reduced_motion="reduce"
    ).open("scene=digits&step=2")
    assert page.ask("document.documentElement.scrollWidth") <= 390
    assert page.page.locator(".tour h2").inner_text() == "Remove the neurons tuned to 2"
    page.eventually(lambda: page.engine.newest("view")["max_fps"] <= 5)
    page.until("lab.session.tick > 60")
    assert page.ask("lab.pictures.find(p => p.area === 'fields').flash.every(v => v === 0)")
    assert page.wrong == []
    page.page.context.close()


def test_scenes_restarts_and_the_back_button(browser, address):
    page = new_page(browser, address).open()
    opened = page.engine.of_type
    page.page.get_by_role("switch", name="retracted synapses learn").click()
    page.until("lab.session?.settings.learn_when_retracted === false")
    assert opened("open")[-1]["settings"]["learn_when_retracted"] is False
    assert opened("open")[-1]["seed"] == 3
    page.page.get_by_role("button", name="Landscape").click()
    page.until("lab.session?.scene?.name === 'landscape'")
    assert "scene=landscape" in page.page.url
    page.page.go_back()
    page.until("lab.session?.scene?.name === 'digits'")
    assert page.wrong == []
    page.page.context.close()


def test_an_address_without_a_scene_opens_the_first(browser, address):
    """The address that `synsamp lab` prints has a token and nothing else."""
    page = new_page(browser, address).open("")
    assert page.ask("lab.session.scene.name") == next(iter(SCENES))
    page.until(f"location.hash.includes('scene={next(iter(SCENES))}')")
    assert page.wrong == []
    page.page.context.close()


def test_hidden_tab_pauses_and_continues(browser, address):
    page = new_page(browser, address).open()
    hide = """hidden => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.page.evaluate(hide, True)
    page.eventually(lambda: len(page.engine.of_type("pause")), 1)
    page.until("lab.session.playing === false")
    page.page.evaluate(hide, False)
    page.until("lab.session.playing === true")
    page.page.context.close()


def test_without_an_engine_a_recorded_run_plays(browser, address):
    page = new_page(browser, address)
    page.page.route("**/engine/**", lambda route: route.abort())
    page.page.goto(f"{address}/index.html#scene=spines")
    page.until("lab.data?.arrays['theta.x->z']")
    assert "recorded run of Digits" in page.page.locator(".message").inner_text()
    page.until("lab.data.twin === true")
    assert page.ask("lab.data.arrays['weights.x->z'].some(w => w > 0)")
    page.page.get_by_role("button", name="All connections").click()
    page.until("document.querySelector('.message').textContent.includes('cannot be changed')")
    page.page.context.close()


# -- bad messages --------------------


def hostile(message: dict[str, Any]) -> dict[str, Any]:
    """The same message, with every name replaced by markup."""
    if message["type"] == "ready":
        scene = message["scene"]
        for knob in scene["knobs"]:
            knob |= {"label": HOSTILE, "help": HOSTILE, "symbol": HOSTILE, "unit": HOSTILE}
        scene |= {"title": HOSTILE, "name": HOSTILE, "labels": [HOSTILE, HOSTILE]}
        scene["populations"][0]["label"] = HOSTILE
    if message["type"] == "frame":
        message["label"] = HOSTILE
    return message


def test_hostile_names_stay_text(browser, address):
    page = new_page(browser, address, hostile).open("scene=digits&step=1")
    page.until("lab.session.tick > 20")
    page.engine.socket.send(json.dumps({"type": "error", "message": HOSTILE}))
    page.until(f"document.querySelector('.message').textContent === {json.dumps(HOSTILE)}")
    page.engine.socket.send("not JSON <b>")
    page.until("document.querySelector('.message').textContent.includes('could not be read')")
    assert page.page.evaluate("window.alive") is None
    assert page.page.locator("img, .synsamp-lab script").count() == 0
    assert page.page.locator("h1").inner_text() == HOSTILE
    assert page.wrong == []
    page.page.context.close()


def test_disconnected_server(browser, address):
    page = new_page(browser, address).open()
    page.engine.socket.close(code=1001, reason="The server was stopped.")
    page.page.get_by_text("The server was stopped.").wait_for()
    assert page.page.get_by_role("button", name=re.compile("Play|Pause")).is_disabled()
    page.page.keyboard.press("Space")
    assert page.wrong == []
    page.page.context.close()
