"""Open every page of the built site in headless Chromium: ``python tools/look.py _build/html _build/look``.

Each page is opened at desktop and phone width, in light and dark, and written as a screenshot.
Errors on a page, requests that leave this machine, files that are missing, pages wider than the window
and formulas wider than their box or their line are listed; the exit code is 1 where there is any.
Names after the two folders choose pages: ``... _build/look amira romma``.
Needs Chromium, on the path or in $CHROMIUM.
"""

import argparse
import base64
import functools
import http.server
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import websocket

WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
THEMES = ("light", "dark")
TALLEST = 15000  # pixels of one screenshot
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars"
    " --disable-background-networking --disable-component-update --disable-sync --remote-debugging-port=0"
)
SETTLED = """
(async () => {
  if (window.MathJax?.startup?.promise) await MathJax.startup.promise;
  await document.fonts.ready;
  const drawn = () => [...document.querySelectorAll('svg.svg-inline--fa')].some((icon) => icon.clientWidth);
  for (let tries = 0; tries < 40 && !drawn(); tries++) await new Promise((then) => setTimeout(then, 50));
  const page = document.documentElement;
  const formulas = [...document.querySelectorAll('mjx-container[display="true"]')];
  const box = (formula) => formula.closest('div.math');
  const excess = (element) => element.scrollWidth - element.clientWidth;
  const wider = (formula) => Math.max(excess(box(formula)), excess(formula));
  const line = (formula) => {
    let block = formula.parentElement;
    while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
    return block.getBoundingClientRect();
  };
  const tooLong = (formula) => {
    const room = line(formula), scrolls = excess(formula) > 3 && formula.clientWidth > 0.8 * room.width;
    return scrolls || formula.getBoundingClientRect().right > room.right + 2;
  };
  const inText = [...document.querySelectorAll('mjx-container:not([display="true"])')]
    .filter((one) => one.clientWidth && !one.closest('table'));  // a table scrolls
  return {
    inText: inText.filter(tooLong).map((one) => [one.closest('section')?.id, one.textContent]),
    formulas: formulas.filter((one) => box(one)?.clientWidth && wider(one) > 1)
      .map((one) => [box(one).id, wider(one)]),
    wide: page.scrollWidth - page.clientWidth,
    height: page.scrollHeight,
    icons: drawn(),
  };
})()
"""


class Browser:
    """One tab of a Chromium process, spoken to through its DevTools socket."""

    def __init__(self, program, profile):
        command = [program, *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        address = next(found[0] for line in self.process.stderr if (found := re.findall(r"ws://\S+", line)))
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(address, suppress_origin=True, timeout=60)
        self.numbers, self.session, self.events = itertools.count(1), None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Send a command and return its answer; events that arrive before it are kept."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url, size, theme):
        """Load an address, wait until it has come to rest, and return its measures."""
        self.events.clear()
        self.resize(*size)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self.socket.recv()))
        found = self.call("Runtime.evaluate", expression=SETTLED, awaitPromise=True, returnByValue=True)
        return found["result"]["value"]

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def screenshot(self, width, height):
        """Picture of the whole page, in a window as high as the page."""
        self.resize(width, min(height, TALLEST))
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


def complaints(events, measures, home):
    """What is wrong with a page, from the events of its loading and its measures at rest."""
    addresses = {}
    for event in events:
        params = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                url = addresses[params["requestId"]] = params["request"]["url"]
                if not url.startswith((home, "data:", "blob:", "about:")):
                    yield f"request leaves this machine: {url}"
            case "Network.loadingFailed" if not params.get("canceled"):
                yield f"{params['errorText']}: {addresses.get(params['requestId'])}"
            case "Network.responseReceived" if params["response"]["status"] >= 400:
                yield f"{params['response']['status']}: {params['response']['url']}"
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                yield f"error: {details.get('exception', {}).get('description', details['text'])}"
            case "Runtime.consoleAPICalled" if params["type"] == "error":
                yield f"console: {[arg.get('value', arg.get('description')) for arg in params['args']]}"
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                yield f"log: {params['entry']['text']}"
    if measures["wide"] > 0:
        yield f"{measures['wide']} pixels wider than the window"
    for label, excess in measures["formulas"]:
        yield f"formula {label or 'without a label'} is {excess} pixels wider than its box"
    for section, formula in measures["inText"]:
        yield f"formula {formula} in the text of {section} is wider than its line"
    if not measures["icons"]:
        yield "the icons are not drawn"


def serve(folder):
    """Serve a folder on a free local port and return its address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.func.log_message = lambda *args: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def pages(site, chosen):
    """Paths of the site's pages, or of the chosen ones; templates below _static and redirections are none."""
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site)
        if chosen and name.stem not in chosen:
            continue
        if name.parts[0] != "_static" and 'http-equiv="Refresh"' not in page.read_text(encoding="utf-8"):
            yield name


def look(names, shots, home, program):
    """Open the pages named, write the screenshots, and return the number of complaints."""
    count = 0
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        try:
            for name in names:
                for (width, size), theme in itertools.product(WIDTHS.items(), THEMES):
                    measures = browser.open(home + name.as_posix(), size, theme)
                    picture = shots / f"{'-'.join(name.with_suffix('').parts)}-{width}-{theme}.png"
                    picture.write_bytes(browser.screenshot(size[0], measures["height"]))
                    for complaint in dict.fromkeys(complaints(browser.events, measures, home)):
                        count += 1
                        print(f"{name} ({width}, {theme}): {complaint}", flush=True)
        finally:
            browser.close()
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path, help="folder of the built site")
    parser.add_argument("shots", type=Path, help="folder for the screenshots")
    parser.add_argument("pages", nargs="*", help="names of the pages to open; without any, all")
    parser.add_argument("--serve", action="store_true", help="over HTTP from this machine instead of file://")
    options = parser.parse_args()
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        parser.error("no chromium found; install it or name it in $CHROMIUM")
    site = options.site.resolve()
    options.shots.mkdir(parents=True, exist_ok=True)
    home = serve(site) if options.serve else f"{site.as_uri()}/"
    count = look(pages(site, options.pages), options.shots, home, program)
    print(f"{count} complaints; screenshots in {options.shots}")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
