"""The pictures of `start/lab.md`, made by `make pictures` where a browser is installed."""

from __future__ import annotations

import shutil
import threading
import warnings
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from certo.lab.server import Server

HERE = Path(__file__).parent / "pictures"
SIZE = {"width": 1280, "height": 800}
COLOURS = 208  # Of each picture: they are flat.
#: The state of each picture, and what is done to it before.
PICTURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "lab-perceptron": ("perceptron?preset=narrow&m=40&step=9", ()),
    "lab-separability": ("separability?preset=xor&m=24&seed_of_points=4", ()),
    "lab-margin": ("margin?preset=overlapping&m=40", ()),
    "lab-errors": ("errors?preset=noise&m=60", ()),
    "lab-descent": ("descent?preset=overlapping&m=60&step=20", ()),
    "lab-kernels": ("kernels?preset=moons&m=100&variance=0.2&C=10", ()),
    "lab-conics": ("conics?preset=ring&m=80", ()),
    "lab-least-squares": ("least-squares?preset=line&m=30", ()),
    "lab-logistic": ("logistic?preset=overlapping&m=60&step=2", ()),
    "lab-bounds": ("bounds?step=30", ()),
    "lab-prove": ("perceptron?preset=separable&m=30", ("#prove", ".claim.good")),
    "lab-break": ("margin?preset=overlapping&m=40", ("#break", ".tempt", ".claim.bad")),
    "lab-projector": ("separability?preset=touching&m=20", ("#projector", "#language")),
    "lab-phone": ("kernels?preset=ring&m=60", ()),
}


def main() -> None:
    warnings.simplefilter("ignore")
    server = Server(0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    with sync_playwright() as driver:
        path = shutil.which("chromium") or driver.chromium.executable_path
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (link, acts) in PICTURES.items():
            phone = name.endswith("phone")
            size = {"width": 390, "height": 844} if phone else SIZE
            context = browser.new_context(
                viewport=size, device_scale_factor=1.5 if phone else 1, locale="en",
                has_touch=phone, is_mobile=phone, color_scheme="dark" if phone else "light",
            )  # fmt: skip
            page = context.new_page()
            page.goto(f"{server.address}#{link}")
            page.wait_for_selector("body[data-settled]", timeout=60_000)
            for act in acts:
                page.wait_for_selector(act, timeout=60_000)
                if not act.startswith(".claim"):
                    page.click(act)
            page.wait_for_timeout(700)
            whole = not acts and not phone  # Charts may be below what fits on the screen.
            image = Image.open(BytesIO(page.screenshot(full_page=whole)))
            image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
                HERE / f"{name}.png", optimize=True
            )
            context.close()
        browser.close()
    server.server.should_exit = True
    thread.join()


if __name__ == "__main__":
    main()
