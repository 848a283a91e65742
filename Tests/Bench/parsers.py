#!/usr/bin/env python3
"""Parsers of mail that bench.py lets take turns over one Maildir: ours, and those that people use.

    parsers.py fast-mail-parser|compat32|default DIR [SHARE]     what one turn of a Python parser does

"decode" is the work that all of them do and that is compared: the tree, every header decoded, every text as a string,
every file as bytes. "summary" is what opus does with a new message: the summary of its header (addresses, date, ids), the
readable text, names and sizes of the files. "full" is that, and the text of every HTML part.
"""
import os
import statistics
import subprocess
import sys
from pathlib import Path


def files(folder):
    return sorted(str(path) for part in ("cur", "new") for path in [*Path(folder).glob(f"{part}/*"),
                                                                    *Path(folder).glob(f".[!.]*/{part}/*")])


# What one turn of a Python parser does. Each returns (characters, bytes in files).

def fast_mail_parser():
    from fast_mail_parser import parse_email

    def work(data):
        mail = parse_email(data)
        return (len(mail.subject) + sum(map(len, mail.text_plain)) + sum(map(len, mail.text_html)),
                sum(len(attachment.content) for attachment in mail.attachments))
    return work


def standard(policy_name):
    from email import message_from_bytes, policy
    from email.header import decode_header, make_header
    chosen = getattr(policy, policy_name)

    def header(value):
        return len(str(make_header(decode_header(value))) if policy_name == "compat32" else str(value))

    def work(data):
        mail, characters, held = message_from_bytes(data, policy=chosen), 0, 0
        characters += sum(header(value) for _, value in mail.items())
        for part in mail.walk():
            if part.is_multipart():
                continue
            content = part.get_payload(decode=True)
            if part.get_content_maintype() == "text":
                characters += len(content.decode(part.get_content_charset() or "utf-8", "replace"))
            else:
                held += len(content)
        return characters, held
    return work


def main(name, folder, share=1):
    work = fast_mail_parser() if name == "fast-mail-parser" else standard(name)
    messages = total = characters = held = 0
    for path in files(folder)[::int(share)]:
        with open(path, "rb") as file:
            data = file.read()
        found, kept = work(data)
        messages, total, characters, held = messages + 1, total + len(data), characters + found, held + kept
    print(f"{messages} messages {total} bytes {characters} characters {held} bytes in files 0 failures")


# What bench.py does with them

class Parser:
    def __init__(self, label, command, share=1, environment=None):
        self.label, self.command, self.share, self.environment = label, command, share, environment or {}
        self.missing = command is None

    def entry(self):
        return self.label, lambda: None, self.command, self.environment


def make(program, mail, folder):
    """Those that can run here; the others say so."""
    ours, cores = [str(program)], os.cpu_count()
    python, me = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable, str(Path(__file__))
    rust = _fast_mail_parser(folder)
    has_mshow = subprocess.run(["sh", "-c", "command -v mshow"], capture_output=True).returncode == 0
    every = "find \"$0\" -type f -print0 | xargs -0 -s 1900000 mshow >/dev/null"
    return [
        Parser("reading alone", [*ours, "--work", "read", mail]),
        Parser("opus, decode", [*ours, "--work", "decode", mail]),
        Parser(f"opus, decode, {cores} threads", [*ours, "--threads", cores, "--work", "decode", mail]),
        Parser("opus, summary", [*ours, "--work", "summary", mail]),
        Parser("opus, full", [*ours, "--work", "full", mail]),
        Parser(f"opus, full, {cores} threads", [*ours, "--threads", cores, "--work", "full", mail]),
        Parser("fast-mail-parser, decode", rust and [rust, me, "fast-mail-parser", mail]),
        # It decodes the texts and only lists the files.
        Parser("mblaze mshow", ["sh", "-c", every, mail] if has_mshow else None, environment={"HOME": str(folder)}),
        Parser("Python email, compat32", [python, me, "compat32", mail]),
        Parser("Python email, default, 1 of 10", [python, me, "default", mail, 10], share=10),
    ]


def _fast_mail_parser(folder):
    """A Python that has the wheel, in an environment of its own; None where it is not to be had."""
    home = Path(folder) / "venv"
    for command in ([sys.executable, "-m", "venv", home],
                    [home / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "fast-mail-parser"]):
        if subprocess.run(list(map(str, command)), capture_output=True).returncode:
            return None
    return str(home / "bin/python")


def same_work(parsers):
    """Who decodes must find the same messages and the same bytes in their files."""
    found = {}
    for parser in parsers:
        if parser.missing or "decode" not in parser.label:
            continue
        done = subprocess.run(list(map(str, parser.command)), capture_output=True, text=True)
        words = done.stdout.split()
        found[parser.label] = (words[0], words[2], words[6]) if len(words) > 6 else done.stderr[-500:]
    print("  found: " + ", ".join(f"{label} {figures}" for label, figures in found.items()), flush=True)
    if len(set(found.values())) > 1:
        raise SystemExit("bench: the parsers did not find the same")


def record(bench, size, total, parsers, results):
    """Prints MB/s and messages/s, each beside `opus, decode`."""
    base = statistics.median(run["wall"] for run in results["opus, decode"])
    print(f"\nparse, {size:,} messages, {total / 1e6:.0f} MB")
    for parser in parsers:
        if parser.missing:
            print(f"  {parser.label:<32} not here")
            continue
        runs = results[parser.label]
        wall = statistics.median(run["wall"] for run in runs) * parser.share
        row = {"group": "parse", "size": size, "label": parser.label, "wall": wall, "runs": len(runs),
               "cpu": statistics.median(run["cpu"] for run in runs) * parser.share,
               "peak": max(run["peak"] for run in runs), "mb_per_s": total / 1e6 / wall,
               "messages_per_s": size / wall, "opus_time_ratio": base / wall}
        scaled = " (scaled)" if parser.share > 1 else ""
        print(f"  {parser.label:<32} {wall:8.3f} s  {row['mb_per_s']:7.0f} MB/s  {row['messages_per_s']:8,.0f} messages/s"
              f"  cpu {row['cpu']:7.3f} s  peak {row['peak']:6.1f} MB"
              f"  opus, decode takes {row['opus_time_ratio']:.2f} x the time{scaled}", flush=True)
        bench.rows.append(row)


def memory(bench, program, folder, measure):
    """What one message of 50 MB takes beyond a small one: the aim is its own size and 4 MiB."""
    print("\npeak memory of one message, beyond that of a small one")
    small = _peak(program, folder / "small", b"Subject: x\n\nx\n", measure, bench.log)
    for name, content in _large():
        peak = _peak(program, folder / "large", content, measure, bench.log) - small
        beyond = peak - len(content) / 1024 / 1024
        print(f"  {name:<32} {len(content) / 1024 / 1024:6.1f} MiB: {peak:6.1f} MiB, its size and {beyond:.1f} MiB",
              flush=True)
        bench.rows.append({"group": "parse memory", "label": name, "bytes": len(content), "peak": peak})


def _large():
    line = b"TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsuTWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu\n"
    lines = 50 * 1024 * 1024 // len(line)
    head = b"Content-Type: %s\nContent-Transfer-Encoding: %s\n\n"
    yield "a file in base64", head % (b"application/pdf; name=a.pdf", b"base64") + line * lines
    yield "a text in base64", head % (b"text/plain; charset=utf-8", b"base64") + line * lines
    yield "a text as it is", head % (b"text/plain; charset=utf-8", b"8bit") + line * lines
    yield "HTML", head % (b"text/html; charset=iso-8859-1", b"8bit") + b"<p>" + line * lines


def _peak(program, folder, content, measure, log):
    (folder / "cur").mkdir(parents=True, exist_ok=True)
    (folder / "cur" / "1").write_bytes(content)
    return measure([program, "--work", "full", folder], log)["peak"]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
