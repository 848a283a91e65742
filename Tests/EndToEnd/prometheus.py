"""Reads the text format of Prometheus, version 0.0.4, and refuses what its own programs refuse or warn of."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(rf"^({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)?,?\}})? (?P<value>\S+)(?: -?\d+)?$")
UNITS = ("_milliseconds", "_minutes", "_hours", "_kilobytes")


def read(text):
    """{name: {labels: value}}. Labels are a sorted tuple of pairs. Raises ValueError for a line that is wrong."""
    families, types, ended = {}, {}, set()
    current = None
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text.split("\n")[:-1]:
        if found := re.match(rf"^# (HELP|TYPE) ({NAME}) (.+)$", line):
            kind, name, rest = found.groups()
            if name != current:
                if current:
                    ended.add(current)
                if name in ended:
                    raise ValueError(f"{name} comes in two groups")
                current = name
                families[name] = {}
            if kind == "TYPE":
                if name in types or families[name]:
                    raise ValueError(f"the type of {name} comes twice or after its samples")
                if rest not in ("counter", "gauge", "histogram", "summary", "untyped"):
                    raise ValueError(f"no type: {line}")
                types[name] = rest
            elif not rest.strip():
                raise ValueError(f"no help: {line}")
            continue
        if line.startswith("#") or not line:
            raise ValueError(f"a line that says nothing: {line!r}")
        found = SAMPLE.match(line)
        if not found:
            raise ValueError(f"no sample: {line!r}")
        name, labels, value = found[1], found[2] or "", float(found["value"])
        if name != current:
            raise ValueError(f"{name} has no help and type above it")
        pairs = tuple(sorted(re.findall(LABEL, labels)))
        if len({pair[0] for pair in pairs}) != len(pairs):
            raise ValueError(f"a label comes twice: {line}")
        if pairs in families[name]:
            raise ValueError(f"a sample comes twice: {line}")
        families[name][pairs] = value
    for name, kind in types.items():
        if kind == "counter" and not name.endswith("_total"):
            raise ValueError(f"the counter {name} does not end in _total")
        if kind != "counter" and name.endswith("_total"):
            raise ValueError(f"{name} ends in _total and is not a counter")
        if name.endswith(UNITS):
            raise ValueError(f"{name} is not in a base unit")
    return families
