#!/usr/bin/env python3
"""Feeds the parsers of mail, of IMAP, of rules and of task files with bytes from libFuzzer, and checks more than "no crash".

    fuzz.py --fixed PROGRAM         a fixed number of inputs for every target, the same bytes on every machine, without libFuzzer
    fuzz.py --seconds 10            every target for ten seconds
    fuzz.py --seconds 600 html      one target
    fuzz.py html FILE…              runs a target over files, for example to reproduce a crash

The targets are in Tests/Fuzz, a package of its own. PROGRAM is `fixed-inputs` of the main package, which has the same
targets and is built with the tests. The seeds are Tests/Fixtures/mail, imap, smime and tasks. Inputs that
reached new code are kept in the scratch folder, so the next run continues from there. An input that breaks a promise goes
into the folder `broken` and is tried first from then on; add a case for it to the fixtures. Exits with 1 if there is such an
input, and also if this compiler has no fuzzer, because then nothing was tested.
"""
import argparse
import email
import email.policy
import itertools
import os
import re
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import Mutants, dictionary

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS / "Fuzz"
MAIL = TESTS / "Fixtures" / "mail"
IMAP = TESTS / "Fixtures" / "imap"
TASKS = TESTS / "Fixtures" / "tasks"
SIGNED = TESTS / "Fixtures" / "smime"
# Inputs of the fixed slice.
FIXED = {"message": 8_000, "headerwords": 20_000, "addresses": 20_000, "dates": 20_000, "html": 10_000, "build": 10_000,
         "imap-framer": 5_000, "imap-response": 6_000, "imap-written": 10_000, "modified-utf7": 20_000, "scram": 10_000,
         "signature": 10_000, "query": 20_000, "rules": 5_000, "phrases": 20_000, "vtodo": 10_000, "repeats": 10_000}
MAX_LENGTH = {"message": 16_384, "signature": 8_192, "html": 8_192, "build": 4_096, "imap-framer": 4_096, "imap-response": 4_096,
              "imap-written": 512, "modified-utf7": 256,
              "query": 512, "rules": 4_096, "phrases": 64, "vtodo": 2_048, "repeats": 256}
TARGETS = list(FIXED)
FIELDS = {
    "headerwords": ("subject", "from", "content-type", "content-disposition"),
    "addresses": ("from", "to", "cc", "bcc", "reply-to", "sender"),
    "dates": ("date", "message-id", "in-reply-to", "references", "received"),
}


def build(scratch):
    command = ["swift", "build", "--package-path", str(PACKAGE), "--scratch-path", str(scratch), "-c", "release",
               "--sanitize=fuzzer", "-Xswiftc", "-gnone"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
        missing = re.search(r"libclang_rt\.fuzzer|unsupported option '-sanitize=fuzzer'", done.stdout)
        sys.exit("fuzz: this Swift compiler has no fuzzer run time; nothing was tested" if missing
                 else "fuzz: Tests/Fuzz does not build")
    shown = subprocess.run([*command, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(shown.stdout.strip())


def seeds(target):
    """The first inputs of a target: whole messages, fields and texts of messages, or answers of servers."""
    if target in ("imap-framer", "imap-response", "imap-written"):
        for file in sorted(IMAP.glob("*.imap")):
            for index, piece in enumerate(responses(file.read_bytes())):
                yield f"{file.stem}-{index}", piece
        return
    if target == "modified-utf7":
        for file in sorted(IMAP.glob("*.imap")):
            for index, line in enumerate(re.findall(rb'^\* (?:LIST|LSUB|XLIST) .*?[ "]([^ "]+)"?\r$', file.read_bytes(), re.M)):
                yield f"{file.stem}-{index}", line
        return
    if target == "scram":
        return
    if target == "signature":
        for file in sorted(SIGNED.glob("*.eml")):
            yield file.stem, file.read_bytes()
            for part in email.message_from_bytes(file.read_bytes(), policy=email.policy.compat32).walk():
                if "pkcs7" in part.get_content_type():
                    yield f"{file.stem}-der", part.get_payload(decode=True) or b""
        return
    if target in ("query", "rules", "phrases"):
        yield from rule_seeds(target)
        return
    if target in ("vtodo", "repeats"):
        yield from task_seeds(target)
        return
    for file in sorted(MAIL.glob("*.eml")):
        data = file.read_bytes()
        if target == "message":
            yield file.stem, data
        elif target == "build":
            yield file.stem, data[-1024:]
        elif target == "html":
            for index, part in enumerate(email.message_from_bytes(data, policy=email.policy.compat32).walk()):
                if part.get_content_type() == "text/html":
                    yield f"{file.stem}-{index}", part.get_payload(decode=True) or b""
        else:
            head = re.split(rb"\r?\n\r?\n", data, maxsplit=1)[0]
            for index, field in enumerate(re.split(rb"\r?\n(?![ \t])", head)):
                name, _, body = field.partition(b":")
                if name.decode("latin-1").strip().lower() in FIELDS[target]:
                    yield f"{file.stem}-{index}", body.strip()


def task_seeds(target):
    """Task files as programs write them, each with a byte for the patch; the lines of their series."""
    for index, file in enumerate(sorted(TASKS.glob("*.ics"))):
        data = file.read_bytes()
        if target == "vtodo":
            yield file.stem, bytes([index % 16]) + data
            continue
        todo = data[data.find(b"BEGIN:VTODO"):]
        lines = re.findall(rb"^(?:DTSTART|DUE|RRULE|EXDATE|RDATE)[;:].*", todo, re.M)
        if lines:
            yield file.stem, b"\r\n".join(line.strip() for line in lines)


def rule_seeds(target):
    """The rule files of the repository; the queries of the help page and of those files; the phrases of the dates page."""
    repository = TESTS.parent
    files = sorted([*(repository / "rules").glob("*.yaml"), *(TESTS / "Scenarios").glob("*/rules/*.yaml")])
    if target == "rules":
        for index, file in enumerate(files):
            yield f"{file.stem}-{index}", file.read_bytes()
    elif target == "query":
        help_page = (repository / "docs" / "rules.md").read_text()
        queries = re.findall(r"^  (\S.*?)  +\S", help_page, re.M)
        queries += [query for file in files for query in re.findall(r"when: '([^']+)'", file.read_text())]
        for index, query in enumerate(queries):
            yield f"query-{index}", query.encode()
    else:
        for index, phrase in enumerate(re.findall(r"`([^`]+)`", (repository / "docs" / "dates.md").read_text())):
            yield f"phrase-{index}", phrase.encode()


def responses(data):
    """A server's bytes in pieces of about half a kilobyte; a literal may be cut, which is one more case."""
    piece = b""
    for line in data.splitlines(keepends=True):
        piece += line
        if len(piece) > 512:
            yield piece
            piece = b""
    if piece:
        yield piece


def environment():
    # With its own backtrace, the Swift run time would hang instead of reporting the crash to libFuzzer.
    # With one order of dictionaries, an input does the same in each run.
    return {**os.environ, "SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1"}


def fill(folder, inputs):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in inputs:
        (folder / name).write_bytes(data)


def fixed_slice(target, words):
    """The inputs of the slice by name: the seeds, then what is made of them."""
    given = list(seeds(target))
    longest = MAX_LENGTH.get(target, 1_024)
    made = itertools.islice(Mutants(target, [data for _, data in given], words, longest), FIXED[target] - len(given))
    return itertools.chain(given, ((f"made-{number}", data) for number, data in enumerate(made)))


def play_fixed(target, program, scratch):
    """The number of inputs of the slice, each played once, and whether all promises held."""
    words = PACKAGE / "Dictionaries" / f"{target}.dict"
    inputs = [data for _, data in fixed_slice(target, dictionary(words.read_text()) if words.exists() else [])]
    scratch.mkdir(parents=True, exist_ok=True)
    packed, progress = scratch / f"{target}.inputs", scratch / f"{target}.progress"
    packed.write_bytes(b"".join(struct.pack("=I", len(data)) + data for data in inputs))
    done = subprocess.run([program, target, packed, progress], env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    packed.unlink()
    if done.returncode == 0:
        progress.unlink()
        return int(done.stdout), int(done.stdout) == len(inputs)
    broken = inputs[struct.unpack("=Q", progress.read_bytes())[0]]
    name = scratch / "broken" / target
    name.parent.mkdir(exist_ok=True)
    name.write_bytes(broken)
    print(f"{done.stdout.decode('utf-8', 'replace')[-6_000:]}\n{target}: {name}, ended with {done.returncode}\n{broken[:2_000]!r}")
    return len(inputs), False


def fuzz(target, program, scratch, seconds):
    """The number of inputs, and whether all promises held."""
    kept, given, broken = (scratch / folder / target for folder in ("kept", "seeds", "broken"))
    for folder in (kept, broken):
        folder.mkdir(parents=True, exist_ok=True)
    words = PACKAGE / "Dictionaries" / f"{target}.dict"
    options = [f"-dict={words}"] if words.exists() else []
    fill(given, seeds(target))
    options += [f"-max_total_time={seconds}", kept, given, broken]
    done = subprocess.run([program, f"-max_len={MAX_LENGTH.get(target, 1_024)}", "-timeout=5", "-rss_limit_mb=512",
                           "-print_final_stats=1", f"-artifact_prefix={broken}/", *options],
                          env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    shutil.rmtree(given)
    output = done.stdout.decode("utf-8", "replace")
    runs = re.search(r"number_of_executed_units: (\d+)", output)
    if done.returncode:
        print(output[-6_000:])
        for name in re.findall(r"Test unit written to (\S+)", output):
            print(f"{target}: {name}\n{Path(name).read_bytes()[:2_000]!r}")
    return int(runs.group(1)) if runs else 0, done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=10, help="for each target")
    parser.add_argument("--fixed", type=Path, metavar="PROGRAM", help="a fixed number of inputs, the same on every machine; nothing is kept")
    parser.add_argument("--scratch", type=Path, default=TESTS.parent / ".build" / "fuzz", help="where it builds")
    parser.add_argument("targets", nargs="*", metavar="TARGET or FILE")
    options = parser.parse_args()
    scratch = options.scratch.resolve()
    targets = [word for word in options.targets if word in TARGETS] or TARGETS
    files = [word for word in options.targets if word not in TARGETS]
    if options.fixed:
        if not options.fixed.exists():
            sys.exit(f"fuzz: {options.fixed} is not built: swift build --product fixed-inputs")
        play = lambda target: play_fixed(target, options.fixed, scratch / "fixed")  # noqa: E731
    else:
        programs = build(scratch / "build")
        if files:
            return subprocess.run([programs / f"fuzz-{targets[0]}", *files], env=environment()).returncode
        play = lambda target: fuzz(target, programs / f"fuzz-{target}", scratch, options.seconds)  # noqa: E731
    failures = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(play, targets)
        for target, (runs, holds) in zip(targets, found):
            print(f"{target}: {runs} inputs" + ("" if holds else ", the last one broke a promise"), flush=True)
            # Without any input, nothing was tested.
            failures += not holds or runs == 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
