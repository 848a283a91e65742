"""Man pages of the documents that are about files: opus-config(5), opus-rules(5), opus-json(5), opus-dates(7).

Only what these documents use of Markdown is known: headings, paragraphs, lists, tables and fenced blocks.
"""
import re

#: (page, section, document, what it is about)
TOPICS = [
    ("opus-config", 5, "configuration.md", "the settings of a workspace, opus.yaml"),
    ("opus-rules", 5, "rules.md", "the rule files of opus"),
    ("opus-json", 5, "json.md", "the JSON documents that opus prints"),
    ("opus-dates", 7, "dates.md", "the dates that opus understands"),
]
PAGES = {document: f"{page}({section})" for page, section, document, _ in TOPICS}


def page(topic, text, release, roff):
    """The page of one topic; `roff` makes text safe at any place of a line."""
    name, section, document, about = topic
    lines = [".\\\" Made by docs/tools/make-man.py; do not edit.",
             f'.TH {roff(name.upper())} {section} "" "{release}" "Magnum Opus"',
             ".SH NAME", f"{roff(name)} \\- {roff(about)}", ".SH DESCRIPTION"]
    lines += body(text.splitlines()[1:], roff)
    others = [f".BR {roff(other)} ({number})" for other, number, _, _ in TOPICS if other != name]
    return "\n".join(lines + [".SH SEE ALSO", ".BR opus (1),"] + [other + "," for other in others[:-1]] + others[-1:]) + "\n"


def body(source, roff):
    lines, index = [], 0
    while index < len(source):
        line = source[index]
        start = index
        index += 1
        if line.startswith("```"):
            while index < len(source) and not source[index].startswith("```"):
                index += 1
            lines += [".PP", ".RS 4", ".nf"] + [guarded(roff(each)) for each in source[start + 1:index]] + [".fi", ".RE"]
            index += 1
        elif line.startswith("````"):
            continue
        elif heading := re.match(r"(#+) (.*)", line):
            macro = ".SH" if len(heading[1]) == 2 else ".SS"
            lines.append(f'{macro} "{plain(heading[2], roff)}"')
        elif line.startswith("|"):
            while index < len(source) and source[index].startswith("|"):
                index += 1
            lines += table(source[start:index], roff)
        elif line.strip():
            while index < len(source) and source[index].strip() and not re.match(r"(```|#|\||- |\d+\. )", source[index]):
                index += 1
            paragraph = " ".join(each.strip() for each in source[start:index])
            item = re.match(r"(- |\d+\. )(.*)", paragraph)
            if item:
                mark = "\\(bu" if item[1] == "- " else item[1].strip()
                lines += [f".IP {mark} 4", guarded(inline(item[2], roff))]
            else:
                lines += [".PP", guarded(inline(paragraph, roff))]
    return lines


def table(rows, roff):
    """A row is an entry: its first cell, then the others, named by the heading where there are several."""
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    head, lines = cells[0], []
    for row in cells[2:]:
        lines += [".TP", guarded(inline(row[0], roff))]
        rest = [(title, cell) for title, cell in zip(head[1:], row[1:]) if cell]
        words = [inline(cell if len(head) == 2 or number == 0 else f"({title}: {cell})", roff)
                 for number, (title, cell) in enumerate(rest)]
        lines.append(guarded(" ".join(words)) or "\\&")
    return lines


def inline(text, roff):
    """Code in bold, links as their text (and the page that they lead to)."""
    text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#]*)(?:#[^)]*)?\)(?=( ?))",
                  lambda match: match[1] + (f", {PAGES[match[2]]}{',' if match[3] else ''}" if match[2] in PAGES else ""), text)
    parts = re.split(r"(`` .+? ``|``.+?``|`[^`]*`|\*\*[^*]+\*\*)", text)
    made = []
    for part in parts:
        if len(part) > 1 and (part[0] == "`" or part.startswith("**")):
            made.append(f"\\fB{roff(part.strip('`*' if part[0] == '*' else '`'))}\\fR")
        else:
            made.append(roff(part))
    return "".join(made)


def plain(text, roff):
    return roff(text.replace("`", "")).replace('"', "\\(dq")


def guarded(line):
    """A line of text that begins like a request of roff is none."""
    return "\\&" + line if line[:1] in (".", "'") else line
