#!/usr/bin/env python3
"""Writes the man pages and the shell completions from what the program says of itself.

    make-man.py PROGRAM [DOCS]     writes DOCS/man/* and DOCS/completions/* (DOCS: the folder above this one)

The program's own `--experimental-dump-help` is the source of commands, options and their sentences; the exit codes
come from docs/exit-codes.md, and the pages of topics from their documents (man_topics.py). The same program always gives the same bytes.
"""
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import man_topics

DOCS = Path(__file__).resolve().parent.parent

FILES = [
    ("opus.yaml", "Accounts and settings: in the folder given, else in the nearest folder upwards, else in "
     "~/.config/opus. There is no password in it."),
    ("rules/*.yaml", "The rules, read in the order of their names."),
    ("tasks/<list>/*.ics", "The tasks, one file each."),
    (".opus/", "The store: mail that was read, the journal of actions, the lock. Beside opus.yaml, or in "
     "~/.local/share/opus."),
]

EXAMPLES = [
    ("opus demo", "The whole flow on a built-in mailbox."),
    ("opus account check", "Connect, log in, and show what the server can do."),
    ("opus sync && opus triage --dry-run", "What the rules would do."),
    ("opus run", "The whole morning."),
    ("opus search from:ana has:pdf newer:30d", "Find mail."),
]


def describe(program):
    run = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["command"]


def environment(program):
    """[(names, meaning)] from the help page; a meaning may go on in the next lines."""
    found = []
    for line in subprocess.run(
            [program, "help", "environment"], check=True, capture_output=True, text=True).stdout.splitlines():
        row = re.match(r"  (\S.*?)  +(\S.*)|  +(\S.*)", line)
        if row and row[1]:
            found.append((row[1], row[2]))
        elif row:
            found[-1] = found[-1][0], f"{found[-1][1]} {row[3]}"
    return found


def version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def shown(command):
    return [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]


def leaves(command):
    below = shown(command)
    return [leaf for c in below for leaf in leaves(c)] if below else [command]


def key(argument):
    return json.dumps([argument.get("names", []), argument["valueName"], argument.get("abstract", "")])


def global_keys(root):
    """The options that every command takes; they are described once, in opus(1)."""
    sets = [{key(a) for a in leaf.get("arguments", []) if a["kind"] != "positional"} for leaf in leaves(root)]
    own = {a["preferredName"]["name"] for a in root.get("arguments", []) if a.get("preferredName")}
    return [a for a in leaves(root)[0]["arguments"] if key(a) in set.intersection(*sets)
            and a["preferredName"]["name"] not in own]


def roff(text):
    """Text that is safe at any place of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti").replace("$", "\\(Do")
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match.group()):04X}]", text)
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def roff_lines(text):
    """A paragraph, a sentence a line, as roff wants it."""
    lines = []
    for paragraph in text.split("\n"):
        for sentence in re.split(r"(?<=[.:]) (?=[A-Z])", paragraph.strip()):
            lines += [roff(part) for part in textwrap.wrap(sentence, 100, break_long_words=False)]
    return lines


def flag(argument, separator=", "):
    names = sorted(argument.get("names", []), key=lambda n: n["kind"] != "short")
    forms = ["\\fB" + roff(("-" if n["kind"] == "short" else "--") + n["name"]) + "\\fR" for n in names]
    text = separator.join(forms)
    return text + (f" \\fI{roff(argument['valueName'])}\\fR" if argument["kind"] == "option" else "")


def positional(argument):
    text = f"\\fI{roff(argument['valueName'])}\\fR" + ("..." if argument.get("isRepeating") else "")
    return f"[{text}]" if argument.get("isOptional") else text


def synopsis(words, command, common):
    known = {key(a) for a in common}
    own = [a for a in visible(command) if key(a) not in known]
    parts = ["\\fB" + roff(" ".join(words)) + "\\fR"]
    parts += [f"[{flag(a, ' | ')}]" for a in own if a["kind"] != "positional"] + ["[\\fIoptions\\fR]"]
    parts += [positional(a) for a in own if a["kind"] == "positional"]
    return " ".join(parts)


def visible(command):
    return [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)
            and (a.get("preferredName") or {}).get("name") not in ("version", "help")]


def definitions(arguments):
    lines = []
    for argument in arguments:
        lines += [".TP", flag(argument) if argument["kind"] != "positional" else positional(argument)]
        lines += roff_lines(argument.get("abstract", "")) or ["\\&"]
        default = argument.get("defaultValue")
        if default:
            lines.append(f"Default: {roff(default)}.")
    return lines


def heading(page, release):
    return [".\\\" Made by docs/tools/make-man.py; do not edit.",
            f'.TH {page.upper()} 1 "" "{release}" "Magnum Opus"']


def body(command, common):
    """The discussion, the arguments and the options of a command itself."""
    known = {key(a) for a in common}
    lines = roff_lines(command.get("discussion", ""))
    own = [a for a in visible(command) if key(a) not in known]
    return lines, [a for a in own if a["kind"] == "positional"], [a for a in own if a["kind"] != "positional"]


def command_page(command, common, release):
    name = command["commandName"]
    page = "opus-" + name
    lines = heading(page.replace("-", "\\-"), release)
    lines += [".SH NAME", f"{roff(page)} \\- {roff(clause(command['abstract']))}", ".SH SYNOPSIS"]
    below = shown(command)
    for sub in below or [command]:
        words = ["opus", name] + ([sub["commandName"]] if below else [])
        lines += [synopsis(words, sub, common), ".br"]
    lines.pop()
    lines += [".SH DESCRIPTION"] + roff_lines(command["abstract"])
    text, values, options = body(command, common)
    lines += ([".PP"] + text) if text else []
    if command.get("aliases"):
        lines += [".PP", "Also: " + ", ".join(f"\\fBopus {roff(a)}\\fR" for a in command["aliases"]) + "."]
    if below:
        lines += [".SH COMMANDS"]
        for sub in below:
            lines += [".SS " + f'"opus {roff(name)} {roff(sub["commandName"])}"'] + roff_lines(sub["abstract"])
            text, values, options = body(sub, common)
            lines += ([".PP"] + text if text else []) + definitions(values + options)
    else:
        lines += ([".SH ARGUMENTS"] + definitions(values)) if values else []
        lines += ([".SH OPTIONS"] + definitions(options)) if options else []
    lines += [".SH EXIT STATUS", "See", ".BR opus (1).", ".SH SEE ALSO", ".BR opus (1)"]
    return "\n".join(lines) + "\n"


def clause(sentence):
    """A sentence as the clause of a NAME line: lower case, no full stop."""
    text = sentence.rstrip(".")
    return text if text[:1].isupper() and text[1:2].isupper() else text[:1].lower() + text[1:]


def exit_codes():
    for line in (DOCS / "exit-codes.md").read_text().splitlines():
        row = re.fullmatch(r"\| (\d+) \| (.+) \|", line)
        if row:
            yield row.group(1), row.group(2).replace("`", "")


def main_page(root, common, release, environment):
    lines = heading("opus", release)
    lines += [".SH NAME", f"opus \\- {roff(clause(root['abstract']))}", ".SH SYNOPSIS",
              "\\fBopus\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]", ".SH DESCRIPTION"]
    lines += roff_lines(root["abstract"]) + [".PP"] + roff_lines(root.get("discussion", ""))
    lines += [".SH COMMANDS"]
    for command in shown(root):
        lines += [".TP", f".BR opus\\-{roff(command['commandName'])} (1)"] + roff_lines(command["abstract"])
    lines += [".SH OPTIONS", "Every command takes these, before or after its name."] + definitions(common)
    lines += [".TP", "\\fB\\-h\\fR, \\fB\\-\\-help\\fR", "Show help information.",
              ".TP", "\\fB\\-\\-version\\fR", "Show the version."]
    lines += [".SH EXIT STATUS"]
    for code, meaning in exit_codes():
        lines += [".TP", f"\\fB{code}\\fR"] + roff_lines(meaning)
    lines += [".SH ENVIRONMENT"]
    for names, meaning in environment:
        lines += [".TP", f"\\fB{roff(names)}\\fR"] + roff_lines(meaning[0].upper() + meaning[1:] + ".")
    lines += [".SH FILES"]
    for name, meaning in FILES:
        lines += [".TP", f"\\fI{roff(name)}\\fR"] + roff_lines(meaning)
    lines += [".SH EXAMPLES"]
    for command, meaning in EXAMPLES:
        lines += [".TP", f"\\fB{roff(command)}\\fR"] + roff_lines(meaning)
    lines += [".SH SEE ALSO"]
    pages = [f".BR opus\\-{roff(c['commandName'])} (1)" for c in shown(root)]
    pages += [f".BR {roff(name)} ({section})" for name, section, _, _ in man_topics.TOPICS]
    lines += [page + "," for page in pages[:-1]] + pages[-1:]
    return "\n".join(lines) + "\n"


def make(program, folder):
    root, release = describe(program), version(program)
    common = global_keys(root)
    files = {"man/opus.1": main_page(root, common, release, environment(program))}
    for command in shown(root):
        files[f"man/opus-{command['commandName']}.1"] = command_page(command, common, release)
    for topic in man_topics.TOPICS:
        text = (DOCS / topic[2]).read_text(encoding="utf-8")
        files[f"man/{topic[0]}.{topic[1]}"] = man_topics.page(topic, text, release, roff)
    for shell, name in [("bash", "opus.bash"), ("zsh", "_opus"), ("fish", "opus.fish")]:
        script = subprocess.run(
            [program, f"--generate-completion-script={shell}"], check=True, capture_output=True, text=True)
        files["completions/" + name] = script.stdout.rstrip("\n") + "\n"
    for part in ("man", "completions"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for old in (folder / part).iterdir():
            if f"{part}/{old.name}" not in files:
                old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    make(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) == 3 else DOCS)
