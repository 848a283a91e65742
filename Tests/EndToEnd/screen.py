"""A terminal of a size, in a tmux of its own, with a program in it."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 60


def is_installed():
    return shutil.which("tmux") is not None


class Screen:
    """`size` is (columns, rows). The shell stays when the program ends: then the screen says `ended: CODE`."""

    def __init__(self, command, environment, size=(80, 24)):
        self._folder = Path(tempfile.mkdtemp(prefix="opus-tmux-"))
        self._socket = str(self._folder / "s")
        # What is loaded into the program is not for tmux.
        self._environment = {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
        self._environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        line = f"env {words} {shlex.join(command)}; echo ended: $?; exec sleep 1000"
        (self._folder / "conf").write_text(
            "set -g status off\nset -g default-terminal tmux-256color\nset -g allow-rename off\n"
            "set -g history-limit 1000\n")
        self._tmux("-f", str(self._folder / "conf"), "-u", "new-session", "-d", "-x", str(size[0]), "-y",
                   str(size[1]), line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server", check=False)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _tmux(self, *words, check=True):
        done = subprocess.run(["tmux", "-S", self._socket, *words], env=self._environment, check=check,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stdout.decode("utf-8", "replace")

    def text(self, colours=False):
        return self._tmux("capture-pane", "-p", "-J", *(["-e"] if colours else []))

    @property
    def lines(self):
        return self.text().split("\n")

    def fact(self, name):
        """What tmux knows of the pane, such as `alternate_on`."""
        return self._tmux("display-message", "-p", "#{" + name + "}").strip()

    def wait_fact(self, name, value, seconds=PATIENCE):
        """Returns once tmux knows this of the pane: text can be on the screen before the program has changed its mode."""
        end = time.monotonic() + seconds
        while (found := self.fact(name)) != value:
            if time.monotonic() > end:
                raise AssertionError(f"{name} is {found!r}, not {value!r}:\n{self.text()}")
            time.sleep(0.02)

    def type(self, text):
        """Characters, as they are."""
        self._tmux("send-keys", "-l", "--", text)

    def key(self, *names):
        """Keys by the names of tmux: `Enter`, `Escape`, `Down`."""
        self._tmux("send-keys", *names)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait(self, pattern, seconds=PATIENCE):
        """The text of the screen as soon as it has the pattern."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.text()
            if re.search(pattern, text):
                return text
            time.sleep(0.02)
        raise AssertionError(f"no {pattern!r} on the screen:\n{text}")

    def signal(self, number):
        """Sends a signal to the program, not to the shell around it."""
        shell = int(self.fact("pane_pid"))
        children = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(shell)], stdout=subprocess.PIPE,
                                  check=True).stdout.decode().splitlines()
        for row in children:
            pid, words = row.split(None, 1)
            if "inbox" in words:
                os.kill(int(pid), number)
                return
        raise AssertionError(f"no program below {shell}: {children}")
