"""What must be true of a batch after any trouble: each thing once, nothing stuck, and nothing more to do.

The only place that knows how a person goes on after a crash, so that the harnesses need not.
"""
import itertools
import shutil
from datetime import datetime, timedelta

from batch import FLAGS, FOREIGN, PLACES, RUN, UNTIL, summaries
from workplace import CLOCK


def later(minutes):
    return (datetime.fromisoformat(CLOCK) + timedelta(minutes=minutes)).isoformat()


def steps(place):
    """Every step of every run."""
    listed = place.opus("runs", "--json")
    return [step for run in listed.json["items"]
            for step in place.opus("runs", "show", run["id"], "--json").json["steps"]]


def go_on(batch, place, problems):
    """Repeats the run until it changes nothing, and confirms where opus asks."""
    done = None
    for number in range(1, 10):
        before = fingerprint(batch, place)
        done = place.opus(*RUN, now=later(20 * number))
        if done.code not in (0, 1, 2):
            problems.append(f"run {number} after the trouble: {done}")
        if fingerprint(batch, place) == before and (done.out == "Nothing to do.\n"
                                                    or number > 3 and not open_steps(place)):
            return
        confirm_sends(place, later(20 * number))
    problems.append(f"never quiet: {done}")


def fingerprint(batch, place):
    return batch.model.state().fingerprint(), place.task_files()


def open_steps(place):
    return [step for step in steps(place) if step["state"] in OPEN]


OPEN = {"planned", "ready", "issued", "unknown", "reconciling"}


def outbox(place):
    """What `opus outbox` shows: mail that is to be sent, and mail that only a person can tell about."""
    return place.opus("outbox", "--json").json["items"]


def confirm_sends(place, now):
    """After a crash, sending is paused until the user confirms; this confirms each mail that waits."""
    for item in outbox(place):
        if item["state"] == "held":
            place.opus("outbox", "retry", item["id"], now=now)


def settle(batch, place):
    """Continues to the end. Returns a list of problems, and the number of sends that need a decision."""
    problems = []
    go_on(batch, place, problems)
    everything = steps(place)
    undecided = [step for step in everything if step["state"] == "needs-decision"]
    for step in everything:
        if step["state"] in OPEN:
            problems.append(f"stuck: {step}")
        if step["state"] == "rejected":
            problems.append(f"rejected: {step}")
    asked = {name for name in batch.names("send") for item in outbox(place)
             if item["state"] == "needs-decision" and item["subject"] == f"Fwd: {title(name)}"}
    if len(asked) != len(undecided):
        problems.append(f"undecided and no send: {undecided}")
    state = batch.model.state()
    problems += placed(batch, state, asked)
    problems += sent(batch, state, asked)
    problems += tasks(batch, place)
    problems += files(batch, place)
    problems += deferred(batch, place, state)
    return problems + list(state.violations), len(asked)


def placed(batch, state, asked):
    """Each message is where it belongs, once, with the marks that it should have."""
    problems, places = [], state.places()
    for name, kind in batch.kinds.items():
        expected = [(mailbox, frozenset(FLAGS.get(kind, ()))) for mailbox in PLACES[kind].split()]
        if name in asked and places.get(name) == [("INBOX", frozenset())]:
            continue  # it stays until the person has decided
        if sorted(places.get(name, []), key=str) != expected:
            problems.append(f"{name}: {places.get(name)}, not {expected}")
    if places.get(FOREIGN) != [("INBOX", frozenset({r"\Deleted"}))]:
        problems.append(f"what another client had marked is {places.get(FOREIGN)}")
    subjects = sorted(held.subject for held in state.held if held.mailbox == "Drafts")
    wanted = sorted(f"Fwd: {title(name)}" for name in batch.names("please"))
    if subjects != wanted:
        problems.append(f"drafts {subjects}, not {wanted}")
    return problems


def sent(batch, state, asked):
    """Nothing is done twice; nothing is lost without a report."""
    problems = []
    wanted = {f"Fwd: {title(name)}" for name in batch.names("send")}
    delivered = [delivery["subject"] for delivery in state.deliveries]
    copies = [held.subject for held in state.held if held.mailbox == "Sent"]
    for label, found in (("sent", delivered), ("in Sent", copies)):
        for subject in set(found):
            if found.count(subject) > 1:
                problems.append(f"{label} {found.count(subject)} times: {subject}")
        if set(found) - wanted:
            problems.append(f"{label}: {set(found) - wanted}")
        silent = wanted - set(found) - {f"Fwd: {title(name)}" for name in asked}
        if silent:
            problems.append(f"not {label}, and nobody is told: {silent}")
    return problems


def tasks(batch, place):
    person = getattr(place, "person", "bob@acme.example")
    wanted = {f"Answer {title(name)}": 1 for name in batch.names("ask")} \
        | {f"Waiting for {person}: {title(name)}": 1 for name in batch.names("please", "send")} \
        | {f"Waiting for Bob Singh: {title(name)}": 1 for name in batch.names("wait")}
    found = dict(summaries(place))
    return [] if found == wanted else [f"tasks: {found.items() ^ wanted.items()}"]


def files(batch, place):
    """Each attachment once, whole, and nothing half written beside them."""
    wanted = sorted(f"file of {name}".encode() for name in batch.names("save"))
    paths = [path for path in (place.root / "attachments").rglob("*") if path.is_file()]
    found = sorted(path.read_bytes() for path in paths)
    names = {path.name for path in paths} - {"note.txt"} - {f"note ({n}).txt" for n in range(2, len(wanted) + 1)}
    return [f"files: {found}, {names}"] if found != wanted or names else []


#: Of some tries, the store is lost: then only the list in the account knows the dates.
_tries = itertools.count()


def deferred(batch, place, state):
    """One list in the account has the date of each deferred message, and no other."""
    wanted = {title(name): UNTIL for name in batch.names("later")}
    problems = [] if len(state.lists) == 1 else [f"lists of deferred mail: {state.lists}"]
    if next(_tries) % 4 == 0:
        shutil.rmtree(place.root / ".opus")
        done = place.opus("sync", now=later(200))
        if done.code:
            problems.append(f"sync after the store was lost: {done}")
    items = place.opus("defer", "--list", "--json", now=later(200)).json["items"]
    found = {item["subject"]: item.get("deferredUntil") for item in items}
    if found != wanted or len(items) != len(found):
        problems.append(f"deferred: {found}, not {wanted}")
    return problems


def title(name):
    return name.replace("-", " ").capitalize()
