"""Do all programs have the same messages? Figures about different work cannot be compared.

A message is its Message-ID; the size it has on the server and its marks must be the same everywhere too.
"""
import os
import re
from typing import NamedTuple

MESSAGE_ID = re.compile(rb"(?mi)^message-id:\s*<([^>\s]+)>")
# A field that mbsync puts into its copies.
ADDED = re.compile(rb"(?m)^X-TUID: .*\r?\n")


class Marks(NamedTuple):
    size: int
    seen: bool
    flagged: bool


def in_maildirs(root):
    """{message id: marks} of all Maildirs below a folder, whatever they are called."""
    held = {}
    for folder, _, names in os.walk(root):
        if os.path.basename(folder) not in ("cur", "new"):
            continue
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            data = ADDED.sub(b"", data, count=1)
            found = MESSAGE_ID.search(data.partition(b"\n\n")[0].partition(b"\n\r\n")[0])
            key = found[1].decode() if found else f"no Message-ID: {name}"
            if key in held:
                key = f"twice: {key} in {name}"
            letters = name.partition(":2,")[2]
            # A server counts line ends as two bytes; files have either kind.
            size = len(data) + data.count(b"\n") - data.count(b"\r\n")
            held[key] = Marks(size, "S" in letters, "F" in letters)
    return held


def difference(truth, held):
    """None where both are the same; else what is not, with one example of each kind."""
    missing, extra = truth.keys() - held.keys(), held.keys() - truth.keys()
    other = sorted(key for key in truth.keys() & held.keys() if truth[key] != held[key])
    said = [f"{len(keys)} {word}, such as {min(keys)}" for keys, word in ((missing, "missing"), (extra, "too many")) if keys]
    if other:
        said.append(f"{len(other)} not alike, such as {other[0]}: {truth[other[0]]} on the server, {held[other[0]]} here")
    return "; ".join(said) or None


def check(truth, sides):
    """Prints that all are the same, or ends the bench."""
    wrong = {side.label: text for side in sides if side.held and (text := difference(truth, side.held()))}
    if wrong:
        raise SystemExit("bench: not the same messages as on the server:\n"
                         + "\n".join(f"  {label}: {text}" for label, text in wrong.items()))
    names = ", ".join(side.label for side in sides if side.held)
    print(f"  the same {len(truth):,} messages, sizes and marks: server, {names}", flush=True)
