#!/usr/bin/env python3
"""Makes workspaces with the stores of a released program, for the tests of migrations (test_old_stores.py).

    OPUS=/path/to/that/opus Tests/Fixtures/stores/make.py FOLDER

Run it once for each released schema, with the program of that release, and keep the archives. Each archive is a
workspace: opus.yaml, rules, tasks, a Maildir and .opus.

    applied.tar.gz   every kind of action applied, one run undone, a task completed but not yet followed, a draft
    killed.tar.gz    killed in the middle of applying a plan: steps that were issued, and steps that were not
    outbox.tar.gz    a held mail, one whose final dot had left, a draft of a rule and a deferral
"""
import os
import sys
import tarfile
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(TESTS / "EndToEnd"), str(TESTS / "Servers"), str(TESTS / "Kill")]

import shim  # noqa: E402
from boxes import MaildirBox  # noqa: E402
from letters import letter  # noqa: E402
from trap import Trap  # noqa: E402
from workplace import Workplace, servers  # noqa: E402

RULES = """\
rules-version: 1
name: old
rules:
  - { id: pay, when: 'subject:pay', then: [{ task: { title: '{{subject}}', due: in 3d } }, { label: money }] }
  - { id: away, when: 'subject:away', then: [{ mark: read }, archive] }
  - { id: star, when: 'subject:star', then: [flag] }
  - { id: later, when: 'subject:later', then: [{ defer: 'tomorrow 09:00' }] }
  - { id: over, when: 'subject:over', then: [{ delegate: { to: bob@acme.example, note: 'Yours.' } }, archive] }
"""
MAIL = [letter(f"{kind} {number}", minutes=10 * number + place)
        for number in range(4) for place, kind in enumerate(("Pay", "Away", "Star", "Later", "Over", "Stay"))]


def workspace(folder, name, extra="", settings=""):
    root = folder / name
    root.mkdir()
    box = MaildirBox(root / "Maildir")
    box.add("INBOX", MAIL)
    account = "  - name: work\n    address: ana@acme.example\n    maildir: Maildir\n" + extra
    return Workplace(root, account, RULES, "brakes: { share: 100 }\n" + settings)


def check(done, *codes):
    if done.code not in (codes or (0,)):
        sys.exit(str(done))
    return done


def compose(place, subject, *more):
    text = place.root.parent / "text"
    text.write_text("Hello.\n")
    return place.opus("compose", "--to", "bob@acme.example", "--subject", subject, "--body", text, *more)


def applied(folder):
    place = workspace(folder, "applied")
    check(place.opus("run", "--yes"))
    stay = [row["id"] for row in check(place.opus("list", "subject:stay", "--json")).json["items"]]
    check(place.opus("archive", *stay))
    check(place.opus("undo", "--yes"))
    place.edit("Pay 1", ("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
    compose(place, "A draft")


def killed(folder):
    place = workspace(folder, "killed")
    check(place.opus("sync"))
    count = folder / "count"
    twin = workspace(folder, "twin")
    check(twin.opus("sync"))
    check(twin.opus("run", "--yes", environment=shim.counting(twin, count)))
    middle = int(count.read_text()) * 2 // 3
    check(place.opus("run", "--yes", environment=shim.killing(place, middle)), -9)


def outbox(folder):
    with Trap(servers().smtps_port, servers().ca_file) as trap:
        smtp = trap.yaml() + "    login: { user: ana, password-command: [cat, password] }\n"
        place = workspace(folder, "outbox", smtp)
        check(place.opus("run", "--yes"))
        trap.arm("stored", "close")
        compose(place, "Perhaps sent", "--send", "--yes", "--no-hold")
        compose(place, "Held", "--send", "--yes", "--detach")


def main():
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="opus-old-") as folder:
        for make in (applied, killed, outbox):
            make(Path(folder))
            root = Path(folder) / make.__name__
            with tarfile.open(target / f"{make.__name__}.tar.gz", "w:gz", compresslevel=9) as archive:
                archive.add(root, ".")


if __name__ == "__main__":
    main()
