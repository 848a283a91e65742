"""The shim that counts, kills and fails (shim.c), built once for the machine's own compiler."""
import functools
import os
import shutil
import subprocess
import tempfile
import atexit
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


@functools.cache
def built():
    folder = Path(tempfile.mkdtemp(prefix="opus-shim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / "shim.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def counting(place, file):
    """The environment in which a command counts its steps into `file`."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_COUNT": str(file)}


def naming(place, file):
    """... in which it notes into `file` the names that it makes, moves or removes, each with the number of its step."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_NAMES": str(file)}


def sleeping(place, file):
    """... in which it notes into `file` each `usleep`: the microseconds, and the name of the thread."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_SLEEPS": str(file)}


def killing(place, step, when="before"):
    """... in which it is killed at a step: before it, after it, or in the middle of what it writes ("torn")."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_KILL": str(step),
            "OPUS_SHIM_WHEN": when}


def killing_after_change(place, number):
    """... in which it is killed after the n-th name that it makes, moves or removes outside of .opus and tmp folders."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_KILL_CHANGE": str(number)}


def failing(place, step, number, times=1):
    """... in which a step on a file is answered with an errno."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(place.root), "OPUS_SHIM_FAIL": str(step),
            "OPUS_SHIM_ERRNO": str(number), "OPUS_SHIM_TIMES": str(times)}


def logging(below, file):
    """... in which what it writes, syncs and renames below a folder is logged into `file`."""
    return {"LD_PRELOAD": str(built()), "OPUS_SHIM_BELOW": str(below), "OPUS_SHIM_LOG": str(file)}
