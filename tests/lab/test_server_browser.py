"""The page in a real browser: what it shows is what the library says, whatever hands do to it.

The browser is the system's Chromium; without one these tests are skipped, and `make test-browser`
installs what they need.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from certo.lab.experiments import EXPERIMENTS
from certo.lab.state import State
from tests.lab.pages import Page

pytestmark = pytest.mark.slow
LINKS = {
    "perceptron": "perceptron?m=24", "separability": "separability?m=16", "margin": "margin?m=24",
    "errors": "errors?m=16", "descent": "descent?m=24&T=100", "kernels": "kernels?m=30",
    "conics": "conics?m=24", "least-squares": "least-squares?m=12", "logistic": "logistic?m=40",
    "bounds": "bounds?m=50&draws=10",
}  # fmt: skip


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_opened_a_point_dragged_and_a_run_made(page, name, tmp_path):
    page.open(LINKS[name])
    page.matches_the_library()
    if name != "bounds":
        before, k = page.state().bench.key, page.lonely()
        page.drag(k, 30, -25)
        assert page.state().bench.key != before
        page.matches_the_library()
    # A run from the beginning, as fast as it goes, to the end.
    page.page.evaluate("document.getElementById('speed').value = 6")
    if page.page.is_enabled("#first"):
        page.page.click("#first")
        page.matches_the_library()
    page.page.click("#step")
    page.matches_the_library()
    # Most of the way at once, the rest as it runs.
    page.page.evaluate(
        "document.getElementById('frame').value = document.getElementById('frame').max - 3;"
        "document.getElementById('frame').dispatchEvent(new Event('input'))"
    )
    page.quiet()
    page.page.click("#run")
    page.page.wait_for_selector("#run:not(.running)")
    page.matches_the_library()
    last = page.page.evaluate(
        "[document.getElementById('frame').value, document.getElementById('frame').max]"
    )
    assert last[0] == last[1]
    assert page.page.locator("#pictures figure").count() >= (name != "margin")
    picture = tmp_path / f"{name}.png"
    page.page.screenshot(path=picture)
    assert picture.stat().st_size > 30_000


def test_one_point_makes_it_inseparable_and_undo_separable_again(page):
    """What a new student finds out first."""
    page.open("separability?preset=touching&m=16")
    assert page.page.get_attribute("#verdict", "data-tone") == "good"
    k = int((page.state().bench.X[:, 1] * page.state().bench.y).argmin())
    down = 220 if page.state().bench.y[k] > 0 else -220
    page.drag(k, 0, down, steps=12)
    page.quiet()
    assert page.page.get_attribute("#verdict", "data-tone") == "bad"
    assert "prove it" in page.page.inner_text("#verdict")
    fractions = page.page.locator("#plane .tag").all_text_contents()
    assert len(fractions) >= 3
    assert all(re.fullmatch(r"\d+(/\d+)?", text) for text in fractions)
    # The fractions can be read; a point that is in the other hull is not hidden by the white dot.
    boxes = page.page.evaluate(
        "[...document.querySelectorAll('#plane .tag')]"
        ".map((n) => n.getBoundingClientRect().toJSON())"
    )
    for j, one in enumerate(boxes):
        for other in boxes[:j]:
            assert (one["right"] < other["left"] or other["right"] < one["left"]
                    or one["bottom"] < other["top"] or other["bottom"] < one["top"])  # fmt: skip
    dot = page.page.locator("#plane .meeting")
    assert (dot.get_attribute("r") == "3") == ("1" in fractions)
    page.page.keyboard.press("Control+z")
    page.page.wait_for_selector('#verdict[data-tone="good"]')
    page.page.keyboard.press("Control+y")
    page.page.wait_for_selector('#verdict[data-tone="bad"]')


def test_points_that_have_no_line_are_taken_along_to_where_that_is_shown(page):
    """From the Perceptron that never ends to the points that prove why, and back to a bound."""
    page.open("perceptron?preset=narrow&m=40&step=0")
    bound = float(page.page.get_attribute("#number-updates .bound", "data-value"))
    margin, longest = (page.numbers()[f"{key}_lifted"] for key in ("separator_margin", "longest"))
    assert bound == int((longest / margin) ** 2)
    page.page.mouse.dblclick(*page.place(page.lonely()))
    page.page.wait_for_selector("#verdict[data-tone]")
    page.quiet()
    page.page.click("#last")
    page.quiet()
    assert "“Separability” shows" in page.page.inner_text("#verdict")
    before = page.state().bench.key
    page.page.click("#experiments a[data-name=separability]")
    page.page.wait_for_selector("#plane .tag")
    page.quiet()
    assert page.state().bench.key == before
    assert page.page.get_attribute("#verdict", "data-tone") == "bad"


def test_the_bayes_boundary_of_a_world_has_its_name(page):
    page.open("kernels?preset=world-ring&m=60")
    page.quiet()
    assert page.page.text_content("#plane .line-name.bayes") == "Bayes boundary"
    page.page.click("#language")
    assert page.page.text_content("#plane .line-name.bayes") == "frontiera di Bayes"
    page.page.click("#language")
    page.open("bounds?m=50&draws=10&step=0")
    page.quiet()
    assert page.page.inner_text("#frame-text") == "Step 1 of 10"  # Nothing is there before.
    assert page.page.is_disabled("#first")


def test_prove_it_and_break_it(page):
    page.open("perceptron?preset=separable&m=20")
    page.page.click("#prove")
    page.page.wait_for_selector("#proof-verdict.good")
    claims = page.page.locator(".claim.good").count()
    assert claims == 3
    assert "python -m certo.verify" in page.page.inner_text("#proof-command")
    page.page.keyboard.press("Escape")
    page.page.click("#break")
    page.page.wait_for_selector(".claim .tempt")
    assert page.page.inner_text("#proof-title") == "Break it"
    page.page.click(".claim:nth-of-type(2) .tempt")
    page.page.wait_for_selector(".claim.bad .stamp.bad")
    assert "not" in page.page.inner_text(".claim.bad .why")
    page.page.click(".claim.bad .row button:last-child")
    page.page.wait_for_selector("#proof-verdict.good")


def test_points_by_hand_and_by_keyboard(page):
    page.open("margin?points=")
    assert "at least 2 points" in page.page.inner_text("#verdict")
    box = page.page.locator("#plane").bounding_box()
    for dx, dy in ((0.3, 0.3), (0.6, 0.7)):
        page.page.mouse.click(box["x"] + dx * box["width"], box["y"] + dy * box["height"])
    page.page.click("#draw-negative")
    page.page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.2 * box["height"])
    page.matches_the_library()
    assert page.state().bench.signs.tolist() == [1, 1, -1]
    page.page.mouse.dblclick(*page.place(1))
    assert page.state().bench.signs.tolist() == [1, -1, -1]
    page.page.mouse.click(*page.place(2), button="right")
    assert len(page.state().bench) == 2
    page.page.focus("#plane")
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("Enter")
    assert page.state().bench.X[2].tolist() == [0.125, 0]
    page.page.keyboard.press("n")
    page.page.keyboard.press("n")
    assert "Point 2 of 3" in page.page.inner_text("#spoken")
    before = page.state().bench.X[1, 0]
    page.page.keyboard.press("ArrowLeft")
    assert page.state().bench.X[1, 0] == before - 0.125
    page.page.keyboard.press("l")
    assert page.state().bench.signs[1] == 1
    page.page.keyboard.press("Delete")
    assert len(page.state().bench) == 2
    # A stroke over empty ground draws many.
    page.page.mouse.move(box["x"] + 20, box["y"] + 60)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 320, box["y"] + 60, steps=30)
    page.page.mouse.up()
    assert len(page.state().bench) > 8


def test_sharing_and_downloads(page, tmp_path):
    page.open("kernels?preset=moons&m=30")
    page.drag(page.lonely(), 25, 25)
    page.quiet()
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.page.click("#share")
    page.page.wait_for_selector("#toast:not([hidden])")
    link = page.page.evaluate("navigator.clipboard.readText()")
    assert page.address.split("/")[3] not in link  # The token is nobody else's.
    state = page.state()
    assert State.of_link(link.partition("#")[2]).write() == state.write()
    again = Page(page.page, page.address, page.errors).open(link.partition("#")[2])
    assert again.state().write() == state.write()
    for kind, start in (("png", b"\x89PNG"), ("csv", b"x1,x2,label"), ("python", b'"""kernels')):
        page.page.click("#download summary")
        with page.page.expect_download() as saved:
            page.page.click(f"#{kind}")
        assert Path(saved.value.path()).read_bytes().startswith(start)


def test_a_table_of_the_user_s(page, tmp_path):
    page.open("margin")
    rows = [f"{k % 7},{k * k % 5},{'yes' if k % 3 else 'no'}" for k in range(40)]
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(["width,height,kind", *rows]))
    page.page.set_input_files("#file", file)
    page.page.wait_for_selector("#table[open]")
    assert page.page.input_value("#table-label") == "kind"
    page.page.click("#table-use")
    page.page.wait_for_selector("#table:not([open])", state="attached")
    page.matches_the_library()
    assert len(page.state().bench) == 40
    before = page.state().bench.key
    file.write_text("\n".join(["width,height,kind", "1,2,a", "inf,3,b", "4,4,a", "5,1,b"]))
    page.page.set_input_files("#file", file)
    page.page.wait_for_selector("#table[open]")
    page.page.click("#table-use")
    page.page.wait_for_selector("#table-wrong:not(:empty)")
    assert "row 2" in page.page.inner_text("#table-wrong")
    page.page.keyboard.press("Escape")
    assert page.state().bench.key == before
    file.write_text("nothing")
    page.page.set_input_files("#file", file)
    page.page.wait_for_selector("#toast.bad")
    page.expected.append("400")
    page.matches_the_library()


def test_a_forged_address_is_refused_and_the_page_lives_on(page):
    for forged in ("perceptron?eta=-1&points=%3Cscript%3E", "margin?C=%", "%E0%A4%A"):
        page.open(forged)
        assert "Refused" in page.page.inner_text("#toast")
    page.matches_the_library()
    page.page.evaluate("location.hash = 'nothing?x=1'")
    page.page.wait_for_selector("#toast.bad:not([hidden])")
    page.matches_the_library()


def test_an_address_without_the_token_leads_to_the_page_that_was_open(page):
    """So that links of the documentation, which know no token, find the way."""
    page.open("margin")
    page.page.goto(re.match(r"http://[^/]+/", page.address)[0] + "#conics")
    page.page.wait_for_selector("body[data-shown]")
    assert page.state().experiment.name == "conics"
    page.expected.append("403")


def test_a_link_that_was_shared_finds_the_way_in_another_laboratory(page):
    """Neither the token of somebody else's laboratory nor the lack of any is in its way."""
    page.open("margin")
    host = re.match(r"http://[^/]+/", page.address)[0]
    for start in (host, f"{host}somebody-else-s/"):
        page.page.goto("about:blank")
        page.page.goto(f"{start}#conics?C=100")
        page.page.wait_for_selector("body[data-shown]")
        assert page.page.url.startswith(page.address)
        assert page.state().chosen["C"] == 100
    page.page.evaluate("localStorage.clear()")
    page.page.goto(f"{host}#margin?C=5")
    assert "certo lab 'margin?C=5'" in page.page.inner_text("body")
    page.page.goto("about:blank")
    page.page.goto(f"{host}#';rm -rf'")  # Nothing to be pasted into a shell.
    assert "rm" not in page.page.inner_text("body")
    page.expected.append("403")


def test_of_experiments_that_are_chosen_fast_the_last_is_shown(page):
    page.open("margin?m=24")
    page.page.evaluate(
        "for (const name of ['kernels', 'bounds', 'conics', 'errors', 'separability'])"
        " document.querySelector(`#experiments a[data-name='${name}']`).click()"
    )
    page.page.wait_for_function("() => lab.state.experiment === 'separability'")
    page.matches_the_library()
    assert page.page.inner_text("#name").startswith("Separability")


def test_a_step_while_another_experiment_is_on_its_way(page):
    """What is shown then is still the old one, which may have a slider that the new one lacks."""
    page.open("kernels?m=30")
    page.page.evaluate("""() => {
        const sent = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) {
            sent.call(this, text);
            const { ask, state } = JSON.parse(text);
            if (ask !== "look" || state.experiment !== "margin") return;
            WebSocket.prototype.send = sent;
            document.getElementById("step").click();
        };
        document.querySelector("#experiments a[data-name='margin']").click();
    }""")
    page.page.wait_for_function("() => lab.facts?.verdict?.key.startsWith('margin.')")
    page.matches_the_library()


def test_what_is_cancelled_says_so_and_shows_nothing_of_other_points(page):
    page.open("errors?m=16")
    page.quiet()
    # The answer is that of a server which was told to stop, whenever the hand is quick enough.
    page.page.evaluate("""() => {
        const heard = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) {
            WebSocket.prototype.send = heard;
            const { id } = JSON.parse(text);
            this.onmessage({ data: JSON.stringify(
                { id, ask: "look", progress: { seconds: 3, upper: 9, lower: 1 } }) });
            window.cancelLook = () => this.onmessage({ data: JSON.stringify(
                { id, ask: "look", cancelled: true }) });
        };
    }""")
    page.drag(page.lonely(), 30, 20, steps=1)
    page.page.wait_for_selector("#wait:not([hidden])")
    assert "between 1 and 9" in page.page.inner_text("#wait")
    assert page.page.evaluate("'waiting' in document.body.dataset")
    page.page.evaluate("cancelLook()")
    page.page.wait_for_selector("#wait[hidden]", state="attached")
    assert page.page.inner_text("#verdict") == "Cancelled."
    assert page.numbers() == {}
    page.drag(page.lonely(), 30, 20)
    page.matches_the_library()


def test_without_a_server_the_page_says_so_and_comes_back(page):
    page.open("margin?m=24")
    page.quiet()
    page.page.evaluate("lab.close()")
    page.page.wait_for_selector('#verdict[data-tone="bad"]')
    page.page.click("#share")
    page.page.wait_for_selector("#toast.bad:not([hidden])")
    page.page.wait_for_selector('#verdict[data-tone="plain"]')
    page.matches_the_library()


def test_a_page_of_a_server_that_was_started_anew_says_so(page):
    page.open("margin?m=24")
    page.quiet()
    page.page.route("**/icon.svg", lambda route: route.fulfill(status=403))
    page.page.evaluate("lab.close()")
    page.page.wait_for_selector("#verdict:has-text('was started anew')")
    page.expected.append("403")


def test_fifty_fast_drags_leave_nothing_behind(page):
    page.open("margin?preset=overlapping&m=200")
    before, k = page.shown, page.lonely()
    page.drag(k, 140, 110, steps=50)
    page.matches_the_library()
    assert page.page.evaluate("[lab.waiting, lab.latest]") == [0, None]
    assert page.shown - before <= 55
