"""The page for everybody: on a phone, in both languages and colours, by keyboard, read aloud."""

from __future__ import annotations

import json
import re

import pytest

from certo.lab.experiments import EXPERIMENTS
from tests.lab import WORDS
from tests.lab.pages import PHONE, opened

pytestmark = pytest.mark.slow


def test_both_languages_themes_and_sizes(browser, address):
    looks = {"viewport": PHONE, "is_mobile": True, "has_touch": True, "color_scheme": "dark"}
    with opened(browser, address, locale="it-IT", **looks) as page:
        page.open("separability?m=16")
        assert page.page.inner_text("#name") == "Separabilità"
        assert page.page.evaluate("document.documentElement.dataset.theme") == "dark"
        for name in EXPERIMENTS:
            page.page.select_option("#experiment-select", name)
            page.quiet()
            wide = page.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"]
            untranslated = page.page.evaluate(
                "[...document.querySelectorAll('main *')].filter((n) => !n.children.length && "
                "/^(ui|number|chart|series|verdict|setting|experiment)[.]/.test(n.textContent))"
                ".map((n) => n.textContent)"
            )
            assert untranslated == []
        page.page.select_option("#experiment-select", "margin")
        page.quiet()
        # What a finger on the bench changes stands beneath it, before the explanation.
        tops = [page.page.locator(f"#{one}").bounding_box()["y"] for one in ("verdict", "name")]
        assert tops[0] < min(tops[1], PHONE["height"])
        k = page.lonely()
        page.page.touchscreen.tap(*page.place(k))
        page.page.wait_for_selector("#point-menu:not([hidden])")
        count = len(page.state().bench)
        page.page.click("#delete")
        assert len(page.state().bench) == count - 1
        page.page.click("#language")
        assert page.page.inner_text("#prove") == "Prove it"
        page.page.click("#theme")
        assert page.page.evaluate("document.documentElement.dataset.theme") == "light"
    with opened(browser, address) as page:
        page.open("margin?m=24")
        size = page.page.evaluate("getComputedStyle(document.body).fontSize")
        page.page.keyboard.press("g")
        assert page.page.evaluate("getComputedStyle(document.body).fontSize") != size
        assert page.page.get_attribute("#projector", "aria-pressed") == "true"


def test_numbers_are_written_as_each_language_writes_them(browser, address):
    with opened(browser, address, locale="it-IT") as page:
        page.open("margin?m=24&C=0.1")
        page.quiet()
        assert re.fullmatch(r"\d,\d+", page.numbers_as_text()["margin"])
        assert re.search(
            r"·10⁻\d*[⁰¹²³⁴-⁹]+$|^0", page.page.inner_text("#number-relative_gap .value")
        )
        assert page.page.inner_text("label[for=setting-C] output") == "0,1"
        assert page.page.get_attribute("#setting-C", "aria-valuetext") == "0,1"
        page.open("descent?m=24")
        page.quiet()
        assert page.page.inner_text("#number-steps .value") == "2.000"
        assert "2.000 passi" in page.page.inner_text("#verdict")
        page.open("separability?preset=xor&m=16")
        page.quiet()
        assert re.search(r"\(−?\d,\d+; −?\d,\d+\)", page.page.inner_text("#verdict"))
        ticks = page.page.locator("#pictures .c-text").all_text_contents()
        assert any("," in tick for tick in ticks)
        assert not any("." in tick for tick in ticks)
        page.page.click("#prove")
        page.page.wait_for_selector("#proof-verdict.good")
        assert re.search(r"\d,\d+ s\.", page.page.inner_text("#proof-verdict"))
        page.page.keyboard.press("Escape")
        page.page.click("#language")
        assert page.page.evaluate("document.documentElement.lang") == "en"
        page.open("least-squares?m=12")
        page.quiet()
        assert re.fullmatch(r"0|−?\d\.\d+·10⁻[⁰¹²³⁴-⁹]+", page.numbers_as_text()["normal_sum"])


ENGLISH_TEXTS = """() => {
    const said = new Set();
    for (const node of document.querySelectorAll("body *")) {
        if (node.closest("[lang=en], #language, #proof-claims .numbers")) continue;
        const own = [...node.childNodes].filter((part) => part.nodeType === 3);
        for (const part of own) said.add(part.textContent.trim());
        for (const name of ["aria-label", "title"]) said.add(node.getAttribute(name) ?? "");
    }
    return [...said].filter((text) => text);
}"""


def test_nothing_english_is_left_in_the_italian_page(browser, address):
    english = set(WORDS["en"].values()) - set(WORDS["it"].values())
    with opened(browser, address, locale="it-IT") as page:
        page.open("bounds?m=50&draws=10")
        for name in EXPERIMENTS:
            page.page.click(f"#experiments a[data-name={name}]")
            page.quiet()
            assert (name, english & set(page.page.evaluate(ENGLISH_TEXTS))) == (name, set())
        page.page.click("#prove")
        page.page.wait_for_selector("#proof-verdict.good")
        assert english & set(page.page.evaluate(ENGLISH_TEXTS)) == set()
        assert page.page.get_attribute(".claim .why span", "lang") == "en"


def test_on_a_narrow_phone_nothing_is_cut_off(browser, address):
    looks = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    for locale in ("en", "it-IT"):
        with opened(browser, address, locale=locale, **looks) as page:
            page.open("separability?m=16")
            page.quiet()
            # The longest name of an experiment fits into its list.
            fits = """() => {
                const box = document.querySelector("#experiment-select");
                const pen = document.createElement("canvas").getContext("2d");
                pen.font = getComputedStyle(box).font;
                const names = [...box.options].map((one) => pen.measureText(one.text).width);
                return Math.max(...names) + 22 <= box.clientWidth; // Its arrow is beside it.
            }"""
            assert page.page.evaluate(fits)
            assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
            assert page.page.locator(".speed span").bounding_box()["width"] > 20
            # Texts of charts are as large as they say, not shrunk with the picture.
            chart = page.page.locator("#pictures svg").first
            assert chart.bounding_box()["width"] == pytest.approx(
                float(chart.get_attribute("viewBox").split()[2]), abs=3
            )
            page.page.evaluate("location.hash = 'margin?C=-1'")
            page.page.wait_for_selector("#toast.bad:not([hidden])")
            assert page.page.locator("#toast").bounding_box()["width"] > 250


def test_an_experiment_that_draws_its_points_offers_no_tools_for_them(page):
    page.open("bounds?m=50&draws=10")
    page.quiet()
    for one in ("undo", "redo", "clear", "draw-positive"):
        assert not page.page.locator(f"#{one}").is_visible()
    page.page.keyboard.press("Control+z")
    page.page.click("#experiments a[data-name=margin]")
    page.page.wait_for_selector("#undo")


def test_a_value_between_those_of_the_slider_is_written_as_it_is(page):
    page.open("kernels?m=30&variance=0.3")
    page.quiet()
    assert page.page.inner_text("#frame-text") == "Variance γ = 0.3"
    assert page.page.inner_text("label[for=setting-variance] output") == "0.3"


@pytest.mark.parametrize("width", [1440, 1180, 1024, 820, 761, 390])
@pytest.mark.parametrize("large", [False, True])
def test_nothing_stands_on_anything_else(browser, address, width, large):
    with opened(browser, address, viewport={"width": width, "height": 900}) as page:
        page.open("separability?preset=xor&m=24")
        page.quiet()
        if large:
            page.page.keyboard.press("g")
        places = ("rail", "middle", "said", "stage", "transport")
        rail, middle, said, *inner = (page.page.locator(f"#{one}").bounding_box() for one in places)
        for one, other in ((rail, middle), (middle, said), (rail, said)):
            assert (one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
                    or one["y"] + one["height"] <= other["y"]
                    or other["y"] + other["height"] <= one["y"])  # fmt: skip
        for one in inner:
            assert one["x"] + one["width"] <= middle["x"] + middle["width"] + 1
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.page.locator("#frame").bounding_box()["width"] > 100
        # Every experiment can be chosen: their names fit, or there is a list of them.
        names = page.page.locator("#experiments")
        fits = names.is_visible() and names.evaluate("(n) => n.scrollWidth <= n.clientWidth")
        assert fits or page.page.locator("#experiment-select").is_visible()


#: Texts whose contrast with what is behind them is below that of WCAG 2.1, level AA.
FAINT = """() => {
    const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, share, k) => {
        const v = c[k] / 255;
        return sum + share * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    }, 0.05);
    const read = (text) => text.match(/[\\d.]+/g).map(Number);
    const behind = (node) => {
        for (let n = node; n; n = n.parentElement) {
            const c = read(getComputedStyle(n).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c;
        }
        return [255, 255, 255];
    };
    const found = [];
    for (const node of document.querySelectorAll("body :not(svg *)")) {
        const own = [...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        const hidden = !node.checkVisibility() || node.closest(".away");
        if (!own || hidden || node.closest(":disabled")) continue;
        const style = getComputedStyle(node), size = parseFloat(style.fontSize);
        const back = behind(node);
        let opacity = 1;
        for (let n = node; n; n = n.parentElement) opacity *= getComputedStyle(n).opacity;
        const mix = (v, k) => v * opacity + back[k] * (1 - opacity);
        const ink = read(style.color).slice(0, 3).map(mix);
        const [low, high] = [light(ink), light(back)].sort((a, b) => a - b);
        const wanted = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
        if (high / low < wanted) found.push(node.outerHTML.slice(0, 120));
    }
    return found;
}"""


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_text_can_be_read(browser, address, colours):
    with opened(browser, address, color_scheme=colours) as page:
        for link in ("perceptron?m=24&step=2", "separability?preset=xor&m=16", "kernels?m=30"):
            page.open(link)
            page.quiet()
            assert page.page.evaluate(FAINT) == []
            page.page.keyboard.press("g")
            assert page.page.evaluate(FAINT) == []
        page.page.click("#prove")
        page.page.wait_for_selector("#proof-verdict.good")
        assert page.page.evaluate(FAINT) == []


def test_the_menu_is_left_as_menus_are(page):
    page.open("margin?m=24")
    page.page.focus("#download summary")
    page.page.keyboard.press("Enter")
    page.page.wait_for_selector("#csv")
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Escape")
    page.page.wait_for_selector("#csv", state="hidden")
    assert page.page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.page.click("#download summary")
    page.page.wait_for_selector("#csv")
    page.page.click("#name")
    page.page.wait_for_selector("#csv", state="hidden")


def test_everything_that_can_be_used_has_a_name_and_can_be_reached(page):
    page.open("perceptron?m=24")
    unnamed = page.page.evaluate(
        "[...document.querySelectorAll('button, input, select, summary, a, [role=application]')]"
        ".filter((n) => n.checkVisibility() && n.type !== 'file')"
        ".filter((n) => !((n.tagName === 'SELECT' ? '' : n.textContent.trim())"
        " || n.getAttribute('aria-label') || n.labels?.[0]?.textContent.trim()))"
        ".map((n) => n.outerHTML)"
    )
    assert unnamed == []
    reached = []
    for _ in range(60):
        page.page.keyboard.press("Tab")
        reached.append(page.page.evaluate("document.activeElement.id"))
        ring = page.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring == "solid" or page.page.evaluate("document.activeElement === document.body")
    for one in ("language", "preset", "setting-eta", "undo", "share", "plane", "run", "prove"):
        assert one in reached or page.page.locator(f"#{one}").is_disabled()
    assert reached.index("preset") < reached.index("plane") < reached.index("run")
    assert reached.index("run") < reached.index("prove")
    pictures = page.page.locator("#pictures svg[role=img]")
    assert all(pictures.nth(k).get_attribute("aria-label") for k in range(pictures.count()))
    assert json.loads(page.page.evaluate("JSON.stringify(lab.state.points.length)")) == 24
    page.page.focus("#draw-positive")
    page.page.keyboard.press("ArrowRight")  # As radio buttons do; the run does not step.
    assert page.page.get_attribute("#draw-negative", "aria-checked") == "true"
    assert page.page.evaluate("document.activeElement.id") == "draw-negative"
