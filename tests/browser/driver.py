"""driver.py -- a page in a real browser: Chromium without a window, driven through Selenium.

    with Browser(folder) as browser:
        page = browser.open(path, width=1280)
        page.script("return document.title")
        page.click("#rows button")
        page.errors(), page.requests(), page.overflow(), page.overlaps(), page.colours()
        page.saved(lambda: page.click("button.save"))

Nothing here knows what is on a page. Files that a page saves come into `folder`.
"""
import base64
import json
import os
import pathlib
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 60  # seconds after which something counts as hanging

# Text of two elements that lies on one another: by the boxes of its lines, less what scrolls out of sight. Text that
# stays in sight while the page scrolls (sticky, fixed) lies over the rest by intention; the boxes of turned text are
# larger than it is.
OVERLAPS = """
const found = [], boxes = [], known = new Map();
/* Whether text in the element is not looked at, and what clips it. */
function about(e) {
    if (e === document.body) { return { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 }; }
    if (known.has(e)) { return known.get(e); }
    const style = getComputedStyle(e), up = about(e.parentElement);
    let it = up;
    if (up.skip || /sticky|fixed/.test(style.position) || e.hasAttribute('transform') ||
        /^(script|style|title|option|noscript)$/i.test(e.nodeName) || !e.checkVisibility()) {
        it = { skip: true };
    } else if (style.overflowX !== 'visible' && e.nodeName !== 'svg') {
        const box = e.getBoundingClientRect();
        it = { left: Math.max(up.left, box.left), right: Math.min(up.right, box.right),
               top: Math.max(up.top, box.top), bottom: Math.min(up.bottom, box.bottom) };
    }
    known.set(e, it);
    return it;
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
for (let node; (node = walker.nextNode());) {
    const e = node.parentElement, it = node.data.trim() ? about(e) : { skip: true };
    if (it.skip) { continue; }
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
        const b = { left: Math.max(r.left, it.left), right: Math.min(r.right, it.right), top: Math.max(r.top, it.top),
                    bottom: Math.min(r.bottom, it.bottom), e: e, text: node.data.trim() };
        if (b.right > b.left && b.bottom > b.top) { boxes.push(b); }
    }
}
boxes.sort((a, b) => a.top - b.top);
let active = [];
for (const b of boxes) {
    active = active.filter(a => a.bottom > b.top);
    for (const a of active) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = a.bottom - b.top;
        if (a.e !== b.e && across > 1.5 && Math.min(down, b.bottom - b.top) > 3.5) {
            found.push(a.text.slice(0, 40) + ' | ' + b.text.slice(0, 40));
        }
    }
    active.push(b);
}
return [boxes.length, found.slice(0, 5)];
"""

# The middle of an element, brought into sight, and what is wrong with it.
PLACE = """
const e = document.querySelectorAll(arguments[0])[arguments[1]];
if (!e) { return [0, 0, 'there is none']; }
e.scrollIntoView({ block: 'center' });
const box = e.getClientRects()[0];
if (!box || box.width === 0 || box.height === 0) { return [0, 0, 'it has no place']; }
const x = box.left + box.width / 2, y = box.top + box.height / 2, there = document.elementFromPoint(x, y);
return [x, y, there && (e.contains(there) || there.contains(e)) ? '' : 'it is covered by ' + (there && there.nodeName)];
"""

# What reaches beyond the right or left edge, and is not in something that scrolls by itself.
OVERFLOW = """
const wide = document.documentElement.clientWidth, found = [];
const all = document.documentElement.scrollWidth;
if (all > wide) { found.push('the page is ' + all + ' wide'); }
document.body.querySelectorAll('*:not(svg *)').forEach(e => {
    const box = e.getBoundingClientRect();
    if ((box.right <= wide + 1 && box.left >= -1) || !e.checkVisibility() || box.width === 0) { return; }
    for (let up = e.parentElement; up; up = up.parentElement) {
        if (getComputedStyle(up).overflowX !== 'visible' && !/^(html|body)$/i.test(up.nodeName)) { return; }
    }
    found.push(e.nodeName + '#' + e.id + ' ends at ' + Math.round(box.right) + ' of ' + wide + ': ' +
               e.textContent.trim().slice(0, 40));
});
return found.slice(0, 5);
"""

# How many colours a picture has, and the share of its commonest one, of every third dot.
COLOURS = """
const done = arguments[1], image = new Image();
image.onload = () => {
    const canvas = document.createElement('canvas'), count = new Map();
    canvas.width = image.width;
    canvas.height = image.height;
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const dots = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
    for (let k = 0; k < dots.length; k += 3) { count.set(dots[k], (count.get(dots[k]) || 0) + 1); }
    done([count.size, 3 * Math.max(...count.values()) / dots.length]);
};
image.src = 'data:image/png;base64,' + arguments[0];
"""


class Page:
    """The page that is open."""

    def __init__(self, browser, path, width):
        self.browser = browser
        self.driver = browser.driver
        self.path = path
        self.width = width

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def point(self, selector, index=0):
        """The mouse over an element, which nothing may cover; gives the place."""
        x, y, what = self.script(PLACE, selector, index)
        assert what == "", f"{selector}: {what}"
        self.mouse("mouseMoved", x, y)
        return x, y

    def click(self, selector, index=0):
        """A click of the mouse on it."""
        x, y = self.point(selector, index)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def mouse(self, kind, x, y, **more):
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def resize(self, width, height=900):
        self.browser.resize(width, height)
        self.wait()
        self.wait()

    def wait(self):
        """Until what the last act put off is done, such as the news of another place."""
        self.driver.execute_async_script("const done = arguments[0]; setTimeout(() => requestAnimationFrame(done), 0)")

    def errors(self):
        """What the console was told since the last call, other than information."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] not in ("INFO", "DEBUG")]

    def requests(self):
        """Addresses that were asked for since the last call, beside the page and what it holds itself."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        own = self.path.as_uri()
        return [url for url in asked if url.split("?")[0] != own and not url.startswith(("data:", "blob:"))]

    def overflow(self):
        return self.script(OVERFLOW)

    def overlaps(self):
        """Pairs of texts that lie on one another, of how many boxes."""
        count, found = self.script(OVERLAPS)
        assert count > 0, "no text was found"
        return found

    def screenshot(self):
        """A PNG of what is in sight, in base64."""
        return self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]

    def colours(self):
        """(colours, share of the commonest) of what is in sight; where TROP_BROWSER_SHOTS names a folder, it is kept there."""
        png = self.screenshot()
        self.browser.keep(self, png)
        return self.driver.execute_async_script(COLOURS, png)

    def saved(self, act):
        """The bytes of the file that the page saves when act() is called."""
        before = set(self.browser.folder.iterdir())
        act()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            new = [path for path in set(self.browser.folder.iterdir()) - before if path.suffix != ".crdownload"]
            if new and new[0].stat().st_size > 0 and not new[0].name.startswith(".com."):
                name, data = new[0].name, new[0].read_bytes()
                new[0].unlink()
                return name, data
            time.sleep(0.02)
        raise AssertionError("nothing was saved")


class Browser:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.shots = os.environ.get("TROP_BROWSER_SHOTS")
        self.count = 0
        options = Options()
        words = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                 "--disable-component-update", "--no-first-run", "--hide-scrollbars", "--force-device-scale-factor=1"]
        if os.geteuid() == 0:
            words.append("--no-sandbox")  # which root cannot have
        for word in words:
            options.add_argument(word)
        options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        os.environ["no_proxy"] = "localhost,127.0.0.1"  # of the driver
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.folder)})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, path, width, height=900):
        path = pathlib.Path(path)
        self.resize(width, height)
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(f"{path.as_uri()}?{width}")  # another address than before, so that it is read again
        return Page(self, path, width)

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def keep(self, page, png):
        if self.shots:
            self.count += 1
            name = f"{self.count:03d}-{page.path.stem}-{page.width}.png"
            (pathlib.Path(self.shots) / name).write_bytes(base64.b64decode(png))
