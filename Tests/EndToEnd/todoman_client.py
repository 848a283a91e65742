"""todoman, the second program that reads and writes the task files."""
import json
import os
import shutil
import subprocess

NAMES = ("todoman", "todo")


def run(place, *words):
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if not program:
        raise RuntimeError("todoman is not installed; run .ci/packages test")
    home = place.root / "todoman"
    home.mkdir(exist_ok=True)
    # A list is a folder; displayname files would give it another name.
    (home / "config.py").write_text(
        f'path = "{place.tasks}/*"\ncache_path = "{home}/cache.sqlite3"\ndate_format = "%Y-%m-%d"\n'
        'time_format = "%H:%M"\ndefault_list = "next"\nhumanize = False\n')
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TZ": "Europe/Paris"}
    done = subprocess.run([program, "--config", home / "config.py", *words], capture_output=True, text=True,
                          env=environment, timeout=60)
    if done.returncode:
        raise RuntimeError(f"todoman {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


def tasks(place):
    """Every task that it sees, open or not; the list by its folder's name."""
    found = json.loads(run(place, "--porcelain", "list", "--status", "ANY"))
    names = {path.read_text().strip(): path.parent.name for path in place.tasks.glob("*/displayname")}
    return [{**task, "list": names.get(task["list"], task["list"])} for task in found]


def complete(place, summary):
    """Ticks a task off, as a person does with `todo done ID`."""
    number = next(task["id"] for task in tasks(place) if task["summary"] == summary)
    run(place, "done", str(number))
