"""firefox.py FOLDER -- the explorer in Firefox, by WebDriver BiDi, which Firefox speaks itself (Debian has no geckodriver).

Some of explorer.py's tests, with the same page objects: numbers and certificates are the program's to the last bit, links
restore the state, garbage gets a sentence, no error, no request. FOLDER has tropism and tropism.html.
"""
import base64
import itertools
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

import explorer

PATIENCE = explorer.PATIENCE


class Socket:
    """A WebSocket's text messages (RFC 6455), as a client."""

    def __init__(self, host, port, path):
        self.stream = socket.create_connection((host, port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self.take(1)
        assert b" 101 " in answer.split(b"\r\n")[0], answer

    def take(self, count):
        data = b""
        while len(data) < count:
            more = self.stream.recv(count - len(data))
            if not more:
                raise EOFError("Firefox has closed the connection")
            data += more
        return data

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else bytes([0xFE]) + struct.pack(">H", size) if size < 65536
                                else bytes([0xFF]) + struct.pack(">Q", size))
        self.stream.sendall(head + mask + bytes(b ^ m for b, m in zip(data, itertools.cycle(mask))))

    def receive(self):
        text, last = b"", False
        while not last:
            first, size = self.take(2)
            size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0] if size == 127 else size
            data, last = self.take(size), bool(first & 0x80)
            if first & 0x0F in (0, 1):
                text += data
            else:
                last = False  # a ping or the like
        return text.decode()


class Firefox:
    """Both the browser and its driver, as driver.py's pages know them."""

    def __init__(self, folder):
        self.folder, self.shots = pathlib.Path(folder), None
        profile = self.folder / "profile"
        profile.mkdir()
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"})
        for line in self.process.stderr:
            if found := re.search(r"BiDi listening on ws://([^:]+):(\d+)", line):
                break
        else:
            raise RuntimeError("Firefox does not start")
        self.socket, self.asked, self.events = Socket(found[1], int(found[2]), "/session"), 0, []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method, **params):
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.asked:
                assert answer["type"] == "success", f"{method}: {answer.get('message')}"
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height):
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def get(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def script(self, text, *arguments):
        whole = f"function (given) {{ return JSON.stringify((function () {{ {text} }}).apply(null, JSON.parse(given)) ?? null); }}"
        answer = self.call("script.callFunction", functionDeclaration=whole, awaitPromise=False, target={"context": self.context},
                           arguments=[{"type": "string", "value": json.dumps(arguments)}])
        assert answer["type"] == "success", answer.get("exceptionDetails", {}).get("text")
        return json.loads(answer["result"]["value"])

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Page(explorer.Explorer):
    def __init__(self, browser, folder):
        self.browser, self.driver, self.folder = browser, browser, pathlib.Path(folder)
        self.path, self.width = self.folder / "tropism.html", explorer.WIDE

    def script(self, text, *arguments):
        return self.browser.script(text, *arguments)

    def click(self, selector, index=0):
        self.script("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, index)

    def saved(self, act):
        """What the page saves, taken from the address that it makes for it."""
        self.script("""
            window.caught = null;
            const make = window.made = window.made || URL.createObjectURL;
            URL.createObjectURL = blob => { blob.text().then(text => { window.caught = text; }); return make.call(URL, blob); };
            document.addEventListener('click', e => { if (e.target.download) { window.name = e.target.download; } }, true);""")
        act()
        self.until("return window.caught !== null", "nothing was saved")
        return self.script("return window.name"), self.script("return window.caught").encode()

    def errors(self):
        return [e["params"].get("text") for e in self.browser.events if e["method"] == "log.entryAdded" and e["params"]["level"] == "error"]

    def requests(self):
        urls = [e["params"]["request"]["url"] for e in self.browser.events if e["method"] == "network.beforeRequestSent"]
        return [url for url in urls if not url.startswith(("file:", "blob:", "data:"))]


def a_module_runs(page):
    text = page.open().script("return document.querySelector('.module').textContent")
    print(f"     {text}")
    assert "the relaxed module" in text or "the exact module" in text, text


TESTS = [a_module_runs, explorer.numbers_are_the_programs_to_the_last_bit,
         explorer.the_exact_module_says_the_same, explorer.certificates_are_the_programs, explorer.links_restore_the_state, explorer.garbage_in_the_address_gets_a_sentence]


def main(folder):
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        browser = Firefox(scratch)
        try:
            for test in TESTS:
                begin = time.monotonic()
                page = Page(browser, folder)
                try:
                    test(page)
                    page.clean()
                    print(f"ok   {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
                except Exception as e:  # the others are still worth a look
                    failed += 1
                    print(f"FAIL {test.__name__}: {e!r}", flush=True)
        finally:
            browser.close()
    print(f"firefox: {len(TESTS)} tests, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
