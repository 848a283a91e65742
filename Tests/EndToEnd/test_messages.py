"""Every message of Tests/Fixtures/mail: as its .json says it is to be read, and beside Python's email package.

NAME.json is the part of `opus inspect message --json` that matters about NAME.eml: a key that is not there is not
compared, a null is a key that must be absent. What is expected comes from the RFCs and from what was put into
the message, not from what we print.
"""
import datetime
import email
import email.policy
import functools
import hashlib
import json
import re
import sys
import unittest

from workplace import REPOSITORY, Case, Workplace

MAIL = REPOSITORY / "Tests" / "Fixtures" / "mail"
DIFFERENCES = REPOSITORY / "docs" / "mail-differences.md"
# The differences are those of one version of Python: Debian 12's.
PYTHON = (3, 11)


@functools.cache
def names():
    return sorted(file.stem for file in MAIL.glob("*.eml"))


class Read(Case):
    """All messages in one run of the program."""

    found = {}

    def documents(self):
        if not Read.found:
            place = Workplace(self.folder / "work", "  []\n")
            files = [str(MAIL / f"{name}.eml") for name in names()]
            lines = self.check(place.opus("inspect", "message", *files, "--json")).out.splitlines()
            self.assertEqual(len(lines), len(files))
            Read.found = dict(zip(names(), map(json.loads, lines)))
        return Read.found


class Corpus(Read):
    def test_the_corpus_is_large_enough_and_each_message_has_its_expectation(self):
        self.assertGreaterEqual(len(names()), 150)
        self.assertEqual(names(), sorted(file.stem for file in MAIL.glob("*.json")))

    def test_every_message_is_read_as_expected(self):
        for name, found in self.documents().items():
            expected = json.loads((MAIL / f"{name}.json").read_text(encoding="utf-8"))
            with self.subTest(name):
                self.assertEqual(found["schema"], "opus.message/1")
                wrong = list(mismatches(expected, found))
                self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_every_kind_of_defect_is_in_the_corpus(self):
        source = (REPOSITORY / "Sources/MIMEParser/Parts/Defect.swift").read_text()
        declared = set(re.findall(r"^ {8}case (\w+)$", source, re.MULTILINE))
        seen = {d["name"] for found in self.documents().values() for d in every_defect(found)}
        # Its message would have a megabyte: ReadableTextTests and test_files have one.
        self.assertEqual(declared - {"textTooLarge"}, seen)


def every_defect(document):
    yield from document["defects"]
    for part in document["parts"]:
        if "message" in part:
            yield from every_defect(part["message"])


def mismatches(expected, found, path=""):
    """What of the expectation is not so, one line each."""
    for key, value in expected.items():
        where = f"{path}{key}"
        if key == "textHas":
            yield from (f"{where}: no {x!r} in {found['text']!r:.500}" for x in value if x not in found["text"])
        elif key == "textLacks":
            yield from (f"{where}: {x!r} in {found['text']!r:.500}" for x in value if x in found["text"])
        elif key == "defects":
            names = sorted({d["name"] for d in found.get(key, [])})
            if names != value:
                yield f"{where}: {names}, not {value}"
        elif value is None:
            if key in found:
                yield f"{where}: {found[key]!r:.500} should not be there"
        elif key not in found:
            yield f"{where}: missing, not {value!r:.500}"
        elif isinstance(value, dict):
            yield from mismatches(value, found[key], f"{where}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from list_mismatches(value, found[key], where)
        elif not same(key, value, found[key]):
            yield f"{where}: {found[key]!r:.1000}, not {value!r:.1000}"


def list_mismatches(expected, found, where):
    if len(expected) != len(found):
        shown = [item.get("section", item.get("address")) for item in found]
        yield f"{where}: {len(found)}, not {len(expected)}: {shown!r:.500}"
        return
    for index, (one, other) in enumerate(zip(expected, found)):
        yield from mismatches(one, other, f"{where}[{index}].")


def same(key, expected, found):
    if key == "date":
        one, other = (datetime.datetime.fromisoformat(x.replace("Z", "+00:00")) for x in (expected, found))
        return one == other and one.utcoffset() == other.utcoffset()
    if key == "charset":
        return expected.lower() == found.lower()
    if key in ("text", "ownText", "html"):
        # The line break at the end is the file's.
        return expected.rstrip("\r\n") == found.rstrip("\r\n").replace("\r\n", "\n")
    return expected == found


@unittest.skipUnless(sys.version_info[:2] == PYTHON, "docs/mail-differences.md is about Python %d.%d" % PYTHON)
class BesidePython(Read):
    """What Python's email package, policy default, reads of the same bytes; every difference is written down."""

    maxDiff = None

    def test_every_difference_is_listed_with_who_is_right_and_why(self):
        found = {(name, field) for name, document in self.documents().items()
                 for field in differences(name, document)}
        listed = listed_differences()
        self.assertEqual(sorted(found - listed), [], "differences that docs/mail-differences.md does not list")
        self.assertEqual(sorted(listed - found), [], "docs/mail-differences.md lists what is no difference any more")


def listed_differences():
    """The rows of the tables: `file` … | `field` | who | why."""
    listed = set()
    for line in DIFFERENCES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            assert cells[2] in ("opus", "Python", "either", "neither") and cells[3], line
            for field in re.findall(r"`([^`]+)`", cells[1]):
                for name in re.findall(r"`([^`]+)`", cells[0]):
                    assert (name, field) not in listed, f"{name} {field} is listed twice"
                    listed.add((name, field))
    return listed


def differences(name, document):
    """The names of the fields that Python reads otherwise."""
    message = email.message_from_bytes((MAIL / f"{name}.eml").read_bytes(), policy=email.policy.default)
    # Python's "1.2" for a part that holds one message: both walk the tree in the order of the file.
    parts = list(message.walk())
    ours = document["parts"]
    if [part.get_content_type() for part in parts] != [part["contentType"] for part in ours]:
        yield "tree"
    else:
        leaves = [(p, o) for p, o in zip(parts, ours) if not p.is_multipart() and not holds_parts(o, ours)]
        if any(attempt(digest, p) != o["sha256"] for p, o in leaves):
            yield "content"
        if any(attempt(lambda p=p: p.get_filename() or "") != o.get("filename", "") for p, o in leaves):
            yield "filename"
    if attempt(lambda: str(message["subject"] or "")) != document.get("subject", ""):
        yield "subject"
    for field in ("from", "to", "cc"):
        if attempt(addresses, message, field) != [(a.get("name", ""), a.get("address", "")) for a in document[field]]:
            yield field
    if attempt(instant, message) != (timestamp(document["date"]) if "date" in document else None):
        yield "date"
    if attempt(lambda: str(message["message-id"] or "").strip().strip("<>")) != document.get("messageID", ""):
        yield "messageID"
    if attempt(body_text, message) not in (None, document.get("text", "").rstrip("\n")):
        yield "text"


def attempt(function, *arguments):
    """The result, or the name of what Python raised."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001: whatever it is, it is Python's answer
        return f"({type(error).__name__})"


def holds_parts(part, parts):
    index = next(i for i, other in enumerate(parts) if other is part)
    return any(other.get("parent") == index for other in parts)


def digest(part):
    return hashlib.sha256(part.get_payload(decode=True) or b"").hexdigest()


def addresses(message, field):
    return [(a.display_name, a.addr_spec) for value in message.get_all(field, []) for a in value.addresses]


def instant(message):
    date = message["date"].datetime if message["date"] else None
    return None if date is None else date.replace(tzinfo=date.tzinfo or datetime.timezone.utc).timestamp()


def timestamp(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def body_text(message):
    """The text of a message that is one plain text, as it stands; None where there is more to choose from."""
    if message.get_content_type() != "text/plain" or message.is_attachment():
        return None
    return message.get_content().replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
