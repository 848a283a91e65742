"""The aims, each beside its figure of this run: met, missed, or not measured."""
import disk
import keys
import sorting
import tasks
import watching
from box import CHANGED, NEW
from syncs import COUNTED, FAR, FIRST, LATER, LISTED, NEW_ON_LINK, NOTHING, ON_LINK

MIDDLE, LARGE = "10000", "100000l"
# A first sync that takes more than mbsync's alone is still of use up to this.
LEAST = 1.5


def rows(record):
    """(aim, most, figure or None); the figure is met where it is at most that."""
    yield from first(record)
    yield from later(record)
    yield "peak memory of a first sync, any size (MiB)", 64, largest(record, FIRST, "peak")
    yield "turns of a later sync, any size", 5, largest(record, LATER + COUNTED, "turns")
    yield "bytes of a later sync, any size (kB, both ways)", 130, both_ways(record)
    yield f"a later sync{FAR}, any size (s)", 0.35, largest(record, LATER + FAR, "wall")
    yield f"first sync of 1,000{ON_LINK} (s)", 60, record.find(FIRST + ON_LINK, "1000", "opus")
    yield f"{NEW} new{ON_LINK} (s)", 5, record.find(NEW_ON_LINK, "1000", "opus")
    yield from sorted_mail(record)
    yield from task_files(record)
    yield from watched(record)
    yield from on_disk(record)
    yield "key to next message, 100000l in the inbox, p95 (s)", 0.05, record.find(keys.KEY, LARGE, "p95")


def first(record):
    for other, most in (("mbsync", 1.0), ("mbsync + mu index", 0.25), ("mbsync + notmuch new", 0.06)):
        yield f"first sync of {MIDDLE}, {other} x", most, ratio(record, FIRST, MIDDLE, other)
    yield f"first sync of {LARGE}, mbsync x", 1.0, ratio(record, FIRST, LARGE, "mbsync")
    for size in (MIDDLE, LARGE):
        listed, whole = record.find(LISTED, size, "opus"), record.find(FIRST, size, "opus")
        yield f"newest mail listed, {size}, first sync x", 0.10, listed / whole if listed and whole else None


def later(record):
    for size, most in ((MIDDLE, 0.85), (LARGE, 0.65)):
        yield f"{NEW} new and {CHANGED} flags in {size}, mbsync x", most, ratio(record, LATER, size, "mbsync")
    for size, most in ((MIDDLE, 0.7), (LARGE, 0.3)):
        yield f"nothing new in {size}, mbsync x", most, ratio(record, NOTHING, size, "mbsync")


def watched(record):
    row = next((row for row in record.rows if (row["group"], row["label"]) == (watching.LATENCY, "opus watch")), None)
    yield "delivery to applied rule, median (s)", 1.0, row and row["wall"]
    others = [other["wall"] for other in record.rows
              if other["group"] == watching.LATENCY and not other["label"].startswith("opus")]
    yield "delivery to applied rule, fastest other x", 1.0, row["wall"] / min(others) if row and others else None
    loaded = next((row for row in record.rows if (row["group"], row["label"]) == (watching.LOADED, "opus watch")), None)
    yield "delivery to applied rule, 3 a second, p99 (s)", 3.0, loaded and loaded["p99"]


def sorted_mail(record):
    yield f"planning {MIDDLE}, 20 rules (s)", 0.05, record.find(sorting.PLAN.format(20), MIDDLE, "opus")
    yield f"planning {LARGE}, 200 rules (s)", 2.0, record.find(sorting.PLAN.format(200), LARGE, "opus")
    yield f"planning {LARGE}, 200 rules (MiB)", 200, record.find(sorting.PLAN.format(200), LARGE, "opus", "peak")
    for count, size in ((20, MIDDLE), (200, MIDDLE), (200, LARGE)):
        for other, most in (("imapfilter", 0.5), ("sieve-filter", 0.15)):
            yield (f"{count} rules over {size} and the moves, {other} x", most,
                   ratio(record, sorting.APPLY.format(count), size, other))
    yield (f"20 rules over {MIDDLE} and the moves{FAR}, imapfilter x", 0.5,
           ratio(record, sorting.APPLY.format(20) + FAR, MIDDLE, "imapfilter"))


def task_files(record):
    """Of 10,000 of them."""
    size = int(MIDDLE)
    for label, most in ((tasks.OPUS_NEW, 0.35), (tasks.OPUS, 0.1)):
        yield f"{MIDDLE} task files listed, {label} (s)", most, record.find(tasks.LIST, size, label)
    yield f"{MIDDLE} task files listed, {tasks.STORE} (MiB)", 32, record.find(tasks.LIST, size, tasks.STORE, "peak")
    yield f"{MIDDLE} task files looked at again (s)", 0.06, record.find(tasks.SCAN, size, tasks.STORE)
    yield f"{MIDDLE} task files written together (s)", 0.6, record.find(tasks.WRITE, size, "opus")
    yield f"{MIDDLE} task files one after the other (s)", 2.0, record.find(tasks.WRITE_EACH, size, "opus")


def on_disk(record):
    """Of a Maildir: the parts of disk.py."""
    million = "1000000l"
    for other, most in (("mu index", 1 / 4), ("notmuch new", 1 / 15)):
        yield f"{disk.SCRATCH}, {LARGE}, {other} x", most, ratio(record, disk.SCRATCH, LARGE, other)
    yield f"{disk.SCRATCH}, {LARGE} (s)", 25, record.find(disk.SCRATCH, LARGE, "opus")
    yield f"{disk.SCRATCH}, any size (MiB)", 64, largest(record, disk.SCRATCH, "peak")
    for name, *_ in disk.QUERIES:
        group = f"{disk.SEARCH}, {name}"
        yield f"{group}, {LARGE} (s)", 0.02, record.find(group, LARGE, "opus")
        yield f"{group}, {million} (s)", 0.05, record.find(group, million, "opus")
        for other in ("mu find", "notmuch search"):
            yield f"{group}, {LARGE}, {other} x", 1.0, ratio(record, group, LARGE, other)
    for words in ("list", "threads", "status", "next"):
        for size, most in ((LARGE, 0.02), (million, 0.03)):
            yield f"opus {words}, {size} (s)", most, record.find(f"{disk.LIST}, {words}", size, "opus")
    run, sync = (record.find(disk.IDLE, LARGE, f"opus, {words}") for words in ("run", "sync"))
    yield f"run with nothing new, {LARGE}, without its sync (s)", 0.06, run - sync if run and sync else None
    yield "opus --version (s)", 0.008, largest(record, disk.START, "wall")
    yield "opus --version (MiB)", 20, largest(record, disk.START, "peak")
    yield "a message of a first sync at the largest size, of the smallest x", 1.25, growth(record, disk.SCRATCH, True)
    yield f"{disk.ADDED} new at the largest size, of the smallest x", 1.25, growth(record, disk.NEW, False)


def growth(record, group, is_each):
    """How much more CPU the largest size takes than the smallest; `is_each`: a message."""
    rows = sorted((int(row["size"].rstrip("l")), row["cpu"]) for row in record.rows
                  if row["group"] == group and row["label"] == "opus")
    if len(rows) < 2:
        return None
    (few, first), (many, last) = rows[0], rows[-1]
    return last / first * (few / many if is_each else 1)


def ratio(record, group, size, other):
    ours, theirs = record.find(group, size, "opus"), record.find(group, size, other)
    return ours / theirs if ours and theirs else None


def largest(record, group, key):
    return max((row[key] for row in record.rows if row["group"] == group and row["label"] == "opus"), default=None)


def both_ways(record):
    return max(((row["up"] + row["down"]) / 1000 for row in record.rows
                if row["group"] == LATER + COUNTED and row["label"] == "opus"), default=None)


def verdict(most, figure):
    return "not measured" if figure is None else "met" if figure <= most else "missed"


def show(record):
    """A table that can be put into a document as it is."""
    print("\n| aim | at most | measured | |\n|---|---|---|---|")
    for name, most, figure in rows(record):
        word = verdict(most, figure)
        if word == "missed" and most == 1.0 and figure <= LEAST:
            word += f", within the least ({LEAST})"
        print(f"| {name} | {most:g} | {'' if figure is None else f'{figure:.3g}'} | {word} |")
