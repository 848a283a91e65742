#!/usr/bin/env python3
"""Draws docs/demo.svg, the picture in the README, from what `opus demo` really prints.

    picture.py PROGRAM [FILE]     writes FILE (docs/demo.svg)

The same program always gives the same bytes.
"""
import html
import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
COLUMNS = 96
CELL, LINE, MARGIN = 8.43, 18, 16
STYLES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "36": "c"}
CSS = ("text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee9;"
       "white-space:pre}.b{font-weight:bold;fill:#fff}.d{fill:#8b95a5}.r{fill:#e06c75}.g{fill:#98c379}.y{fill:#e5c07b}"
       ".c{fill:#56b6c2}")
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


def plain(line):
    return ESCAPE.sub("", line)


def drawn(line):
    """One line as tspans."""
    out, style, place = [], "", 0
    for match in [*ESCAPE.finditer(line), None]:
        text = line[place:match.start() if match else len(line)]
        if text:
            escaped = html.escape(text, quote=False)
            out.append(f'<tspan class="{style}">{escaped}</tspan>' if style else escaped)
        if match:
            style = " ".join(STYLES[code] for code in match[1].split(";") if code in STYLES)
            place = match.end()
    return "".join(out)


def main():
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else DOCS / "demo.svg"
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "OPUS_FORCE_TTY": "1", "LANG": "C.UTF-8"}
    for name in ("NO_COLOR", "CLICOLOR", "OPUS_WORKSPACE"):
        environment.pop(name, None)
    done = subprocess.run([sys.argv[1], "demo", "--color", "always"], capture_output=True, text=True, check=True,
                          env=environment, stdin=subprocess.DEVNULL)
    lines = done.stdout.strip("\n").splitlines()
    width = round(2 * MARGIN + CELL * max(len(plain(line)) for line in lines))
    height = 2 * MARGIN + LINE * len(lines)
    rows = "\n".join(f'<text x="{MARGIN}" y="{MARGIN + LINE * number + 13}">{drawn(line)}</text>'
                     for number, line in enumerate(lines) if line)
    target.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'xml:space="preserve" role="img" aria-label="What opus demo prints">\n<style>{CSS}</style>\n'
        f'<rect width="100%" height="100%" rx="8" fill="#1e222a"/>\n{rows}\n</svg>\n', encoding="utf-8")


if __name__ == "__main__":
    main()
