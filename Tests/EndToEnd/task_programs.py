"""The other programs that read and write task files, as the interop tests run them.

Debian's come with `.ci/packages test`; the newest of PyPI lie in .build/clients (`.ci/clients`). What is missing skips
its tests and says so; with CI=true a missing one of Debian's is a failure.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from workplace import REPOSITORY

NEWEST = REPOSITORY / ".build" / "clients" / "bin"


def debian(*names):
    return next((Path(found) for name in names if (found := shutil.which(name, path="/usr/bin:/bin"))), None)


def newest(name):
    return NEWEST / name if (NEWEST / name).exists() else None


def require(program, what, is_debian=True):
    """The program, or the test is skipped; on CI, Debian's must be there."""
    if program:
        return program
    reason = f"{what} is not here; run .ci/{'packages test' if is_debian else 'clients'}"
    if is_debian and os.environ.get("CI") == "true":
        raise RuntimeError(reason)
    raise unittest.SkipTest(reason)


def environment(home):
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TZ": "Europe/Paris"}


class Todoman:
    """todoman on the task folder of a workspace, with a cache of its own."""

    def __init__(self, place, program):
        self.place, self.program = place, program
        self.home = place.root / f"todoman-{abs(hash(str(program))) % 10_000}"
        self.home.mkdir()
        # A list is a folder; displayname files would give it another name.
        (self.home / "config.py").write_text(
            f'path = "{place.tasks}/*"\ncache_path = "{self.home}/cache.sqlite3"\ndate_format = "%Y-%m-%d"\n'
            'time_format = "%H:%M"\ndefault_list = "next"\nhumanize = False\n')

    def run(self, *words):
        done = subprocess.run([self.program, "--config", self.home / "config.py", *map(str, words)],
                              capture_output=True, text=True, env=environment(self.home), timeout=60)
        if done.returncode:
            raise RuntimeError(f"todoman {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def tasks(self):
        found = json.loads(self.run("--porcelain", "list", "--status", "ANY"))
        return {task["summary"]: task for task in found}

    def number(self, summary):
        return self.tasks()[summary]["id"]

    def list_name(self, folder):
        """What todoman calls the list of a folder."""
        name = self.place.tasks / folder / "displayname"
        return name.read_text().strip() if name.exists() else folder


class CalendarServer:
    """A CalDAV server on a free port of the loopback, with a folder of its own."""

    def __init__(self, folder, command, home):
        self.home = home
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = (self.folder.parent / f"{self.folder.name}.log").open("wb")
        self.process = subprocess.Popen(command(self.folder, self.port), stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log, env=environment(self.folder.parent), start_new_session=True)
        self._wait()

    def _wait(self):
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(Path(self.log.name).read_text(errors="replace")[-2000:]) from None
                time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}{self.home}"

    def request(self, method, path, body=None, headers=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, method=method,
                                         headers={"Content-Type": "text/calendar; charset=utf-8",
                                                  "Authorization": "Basic dXNlcjp4", **(headers or {})})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def make_lists(self, names):
        # Who comes for the first time gets a home.
        self.request("PROPFIND", "/user/", b"", {"Depth": "0"})
        for name in names:
            body = ('<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set>'
                    '<D:prop><C:supported-calendar-component-set><C:comp name="VTODO"/>'
                    '</C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>').encode()
            try:
                self.request("MKCALENDAR", f"{self.home}{name}/", body, {"Content-Type": "application/xml"})
            except urllib.error.HTTPError as refusal:
                if refusal.code != 405:  # it is there
                    raise

    def items(self, name):
        """{path: bytes} of a list."""
        body = b'<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>'
        answer = self.request("PROPFIND", f"{self.home}{name}/", body,
                              {"Depth": "1", "Content-Type": "application/xml"}).decode()
        paths = [part.partition("<")[0] for part in answer.replace("ns0:href>", "href>").replace("D:href>", "href>")
                 .split("href>")]
        found = [path for path in paths if path.endswith(".ics")]
        return {path: self.request("GET", path) for path in found}


def radicale(folder, port):
    program = require(debian("radicale"), "Radicale")
    config = Path(folder).parent / "radicale.conf"
    config.write_text(f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = none\n"
                      f"[storage]\nfilesystem_folder = {folder}\n")
    return [program, "--config", config]


def xandikos(folder, port):
    program = require(debian("xandikos"), "Xandikos")
    return [program, "-d", folder, "--defaults", "--current-user-principal", "/user/", "-l", "127.0.0.1", "-p", str(port)]


class VdirSyncer:
    """vdirsyncer between the task folder and a server, with a state of its own."""

    def __init__(self, place, server, program):
        self.place, self.server, self.program = place, server, program
        self.home = place.root / "vdirsyncer"
        self.home.mkdir()

    def configure(self, lists):
        self.server.make_lists(lists)
        for name in lists:
            (self.place.tasks / name).mkdir(exist_ok=True)
        (self.home / "config").write_text(
            f'[general]\nstatus_path = "{self.home}/status/"\n[pair tasks]\na = "local"\nb = "remote"\n'
            f'collections = {json.dumps(lists)}\nconflict_resolution = null\n'
            f'[storage local]\ntype = "filesystem"\npath = "{self.place.tasks}/"\nfileext = ".ics"\n'
            f'[storage remote]\ntype = "caldav"\nurl = "{self.server.url}"\nusername = "user"\npassword = "x"\n'
            'item_types = ["VTODO"]\n')
        self.run("discover")

    def run(self, *words):
        done = subprocess.run([self.program, "-c", self.home / "config", *words], input="y\n" * 20, capture_output=True,
                              text=True, env=environment(self.home), timeout=120)
        if done.returncode:
            raise RuntimeError(f"vdirsyncer {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def sync(self):
        return self.run("sync", "--force-delete")
