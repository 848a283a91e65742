"""A running `opus watch`, and what it has said so far."""
import json
import os
import signal
import subprocess
import time

PATIENCE = 20


class Watching:
    """`opus watch --json`, or with other options in its place; `events` are its lines of JSON. `prefix` starts the program."""

    def __init__(self, place, *options, environment=None, form="--json", prefix=()):
        self._file = place.root / "events"
        self._out = open(self._file, "wb")
        self.process = subprocess.Popen([*prefix, *place.command("watch", form, *options, now=None)],
                                        stdin=subprocess.DEVNULL, stdout=self._out, stderr=subprocess.STDOUT,
                                        env={**place.environment(), **(environment or {})}, cwd=place.root,
                                        start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._out.close()

    @property
    def text(self):
        return self._file.read_text()

    @property
    def events(self):
        # The last line may be half written, and what ends an account's part is said among them.
        said = [json.loads(line) for line in self.text.split("\n")[:-1] if line.startswith("{")]
        return [event for event in said if "type" in event]

    def until(self, wanted, after=0, patience=PATIENCE):
        """The first event beyond `after` for which `wanted` holds, and its number."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            for number, event in enumerate(self.events[after:], after + 1):
                if wanted(event):
                    return event, number
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}: {self.text}")
            time.sleep(0.02)
        raise AssertionError(f"waited {patience} s: {self.text}")

    def all(self, name):
        return [event for event in self.events if event["type"] == name]

    def signal(self, number):
        os.kill(self.process.pid, number)

    def interrupt_twice(self):
        """Two signals of one Ctrl-C, as `timeout` sends them: to the process and to its group."""
        self.signal(signal.SIGINT)
        time.sleep(0.03)
        if self.process.poll() is None:
            self.signal(signal.SIGINT)
        return self.process.wait(10)

    def interrupt(self):
        self.signal(signal.SIGINT)
        return self.process.wait(10)


def kind(name):
    return lambda event: event["type"] == name


def brought(count):
    return lambda event: event["type"] == "synced" and event["sync"]["added"] == count


def reached(state):
    return lambda event: event["type"] == "state" and event["state"]["state"] == state
