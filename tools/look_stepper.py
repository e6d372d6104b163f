"""Work the controls of the steppers on a page in Chromium: ``python tools/look_stepper.py PAGE SHOTS``.

PAGE is a built page or any HTML file with players. Step by step, the numbers beside each picture must be
those of the player's data, worked out here a second time; a screenshot of each player is written for every
theme and width, in both spaces. The exit code is 1 where something is wrong. Needs what look.py needs.
"""

import argparse
import base64
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from look import THEMES, WIDTHS, Browser, complaints

KEYS = {"Home": 36, "ArrowLeft": 37, "ArrowRight": 39, " ": 32, "n": 78, "w": 87}  # and their key codes


class Player:
    """One stepper on the open page."""

    def __init__(self, browser, ident):
        self.browser, self.ident = browser, ident
        self.data = json.loads(self.ask("root.querySelector('script').textContent"))
        self.end = len(self.data["order"])

    def ask(self, expression):
        code = f"(() => {{ const root = document.getElementById('{self.ident}'); return {expression}; }})()"
        answer = self.browser.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def click(self, text):
        self.ask(f"[...root.querySelectorAll('button')].find((b) => b.textContent === '{text}').click()")

    def press(self, key):
        self.ask("root.focus({ preventScroll: true })")
        event = {"key": key, "windowsVirtualKeyCode": KEYS[key]}
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, **event)

    def shown(self):
        """Text of the numbers, a list for each run, and the step that the status line names."""
        texts = "[...f.querySelectorAll('dd')].map((d) => d.textContent)"
        runs = self.ask(f"[...root.querySelectorAll('figure')].map((f) => {texts})")
        words = self.ask("root.querySelector('.mb-say').textContent").split()
        return runs, int(words[1]) if words[0] == "Trial" else 0

    def expected(self, t):
        """What the numbers must be after trial ``t``, from the data."""
        return [[as_text(v) for v in numbers(self.data, run, t)] for run in self.data["runs"]]

    def at(self, t, doing):
        """Complain unless the player stands at trial ``t`` with its numbers."""
        runs, step = self.shown()
        if step != t:
            yield f"{doing}: stands at trial {step}, not {t}"
        elif runs != self.expected(t):
            yield f"{doing}: shows {runs} at trial {t}, not {self.expected(t)}"


def numbers(data, run, t):
    updates, times = sum(at <= t for at in run["at"]), run.get("moves", run["at"])
    moves = sum(at <= t for at in times)
    _, _, bias, norm, margin = run["w"][moves]
    after = [bias, norm, margin, updates]
    if "pair" in run:
        after.append(", ".join(map(str, run["pair"][updates])) or None)
    if not 1 <= t <= len(run["score"]):
        return [None, None, None, "stopped" if t else None, None, None, *after]
    score, y, limit = run["score"][t - 1], data["y"][data["order"][t - 1]], run["threshold"]
    limit, fired = limit[t - 1] if isinstance(limit, list) else limit, t in run["at"]
    scale, step = (run["scale"][moves - 1], run["step"][moves - 1]) if t in times else (1, 0)
    return [score, y * score, limit, "yes" if fired else "no", scale, step, *after]


def as_text(value):
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.12g}".replace("-", "−")


def work(player):
    """Work the controls one after another; yield what goes wrong."""
    end, updates = player.end, sorted({t for run in player.data["runs"] for t in run["at"]})
    yield from player.at(end, "on loading")
    player.click("Reset")
    yield from player.at(0, "Reset")
    for t in range(1, end + 1):
        player.click("Step")
        yield from player.at(t, "Step")
    for t in reversed(range(end)):
        player.press("ArrowLeft")
        yield from player.at(t, "left arrow")
    for t in updates:
        player.click("Next update")
        yield from player.at(t, "Next update")
    player.click("Back")
    yield from player.at(updates[-1] - 1, "Back")
    player.press("n")
    yield from player.at(updates[-1], "key n")
    player.press("Home")
    yield from player.at(0, "key Home")
    player.press("ArrowRight")
    yield from player.at(1, "right arrow")
    yield from play(player)
    for label, act in (
        ("button", lambda: player.click("Weight space")),
        ("key w", lambda: player.press("w")),
    ):
        yield from spaces(player, label, act)


def play(player):
    player.ask("(root.querySelector('select').value = '4')")
    player.press("Home")
    player.press(" ")
    deadline = time.monotonic() + 20
    while player.shown()[1] < min(3, player.end) and time.monotonic() < deadline:
        time.sleep(0.1)
    if player.end > 3:
        player.click("Pause")
    stands = player.shown()[1]
    if not min(3, player.end) <= stands <= player.end:
        yield f"Play: stands at trial {stands}"
    time.sleep(0.8)
    yield from player.at(stands, "Pause")


def spaces(player, label, act):
    """Both spaces, there and back."""
    for weights in (True, False):
        act()
        frames = "[...root.querySelectorAll('.mb-{}')].every((e) => getComputedStyle(e).display !== 'none')"
        seen = {space: player.ask(frames.format(space)) for space in "vx"}
        pressed = player.ask("root.querySelector('[aria-pressed]').getAttribute('aria-pressed')")
        planes = player.ask("root.querySelectorAll('.mb-no:not(.mb-z)').length")
        wanted = sum(any(x) for x in player.data["x"]) * len(player.data["runs"]) if weights else 0
        if (seen["v"], seen["x"], pressed, planes) != (weights, not weights, str(weights).lower(), wanted):
            yield f"{label}: spaces {seen}, pressed {pressed}, {planes} half-planes, not {wanted}"


def photograph(player, shots, name):
    """The player a third of the way through the run, in both spaces."""
    player.press("Home")
    for _ in range(max(1, player.end // 3)):
        player.click("Step")
    for space in ("instances", "weights"):
        box = player.ask("(root.scrollIntoView(), (({ x, y, width, height }) => ({ x, y, width, height }))("
                         "root.getBoundingClientRect()))")  # fmt: skip
        scrolled = player.ask("[scrollX, scrollY]")
        clip = {**box, "x": box["x"] + scrolled[0], "y": box["y"] + scrolled[1], "scale": 1}
        shot = player.browser.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        (shots / f"{player.ident}-{name}-{space}.png").write_bytes(base64.b64decode(shot["data"]))
        player.press("w")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path, help="HTML file with players")
    parser.add_argument("shots", type=Path, help="folder for the screenshots")
    options = parser.parse_args()
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        parser.error("no chromium found; install it or name it in $CHROMIUM")
    options.shots.mkdir(parents=True, exist_ok=True)
    url, count = options.page.resolve().as_uri(), 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            for (width, size), theme in itertools.product(WIDTHS.items(), THEMES):
                measures = browser.open(url, size, theme)
                idents = "JSON.stringify([...document.querySelectorAll('.mb-stepper')].map((e) => e.id))"
                found = browser.call("Runtime.evaluate", expression=idents)["result"]["value"]
                for ident in json.loads(found):
                    player, wrong = Player(browser, ident), []
                    if (width, theme) == ("desktop", "light"):
                        wrong += work(player)
                    photograph(player, options.shots, f"{width}-{theme}")
                    count += len(wrong)
                    print(
                        f"{ident} ({width}, {theme}): {'; '.join(wrong[:3]) or 'as it should be'}", flush=True
                    )
                errors = complaints(browser.events, measures | {"icons": True}, "file:///")
                for error in dict.fromkeys(errors):
                    count += 1
                    print(f"page ({width}, {theme}): {error}", flush=True)
        finally:
            browser.close()
    print(f"{count} complaints; screenshots in {options.shots}")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
