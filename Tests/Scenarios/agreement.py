"""Dry run equals run: compares the plan of each message with its place afterwards.

The plan is the JSON of `triage --dry-run`; before and after are read from the account by another program. Every message
of the account is looked at, also those that the plan leaves alone.
"""
import re

USUAL = {"archive": "Archive", "trash": "Trash", "junk": "Junk", "defer": "Deferred", "drafts": "Drafts"}
WORDS = {"defer": "deferred"}


def mailboxes(account):
    """What the account calls the mailbox of each disposition, from the scenario's `account` lines."""
    names = dict(USUAL)
    for action in names:
        found = re.search(rf"\b{WORDS.get(action, action)}: *([^,}}\n]+)", account)
        if found:
            names[action] = found[1].strip().strip("'\"")
    return names


def flags_after(flags, decisions):
    flags = {flag.lower() for flag in flags}
    for decision in decisions:
        action = decision["action"]
        kind = action["type"]
        change = {"flag": ("\\flagged", True), "unflag": ("\\flagged", False)}.get(kind)
        if kind == "mark":
            change = ("\\seen", action["read"])
        elif kind in ("label", "unlabel"):
            change = (action["keyword"].lower(), kind == "label")
        if change:
            (flags.add if change[1] else flags.discard)(change[0])
    return flags


def destination(decisions, names):
    """The mailbox that the message goes to; None where it stays."""
    for decision in decisions:
        action = decision["action"]
        if action["type"] == "move":
            return action["mailbox"]["displayName"]
        if action["type"] in ("archive", "trash", "junk", "defer"):
            return names[action["type"]]
    return None


def disagreements(plan, before, after, account):
    """One line for each message that does not stand where the plan says, with the marks that it says."""
    names = mailboxes(account)
    items = plan["plan"]["items"]
    by_message = {item["message"]: item for item in items}
    moved = {}
    for item in items:
        goal = destination(item["decisions"], names)
        if goal:
            for member in [item["message"], *(m["message"] for m in item.get("threadKeys", []))]:
                moved[member] = goal
    planned = {}
    for message, item in by_message.items():
        if item.get("messageID"):
            planned[item["messageID"].strip("<>")] = (moved.get(message), item["decisions"])
    wrong = []
    now = {}
    for held in after:
        now.setdefault(held.message_id.strip("<>"), []).append(held)
    for held in before:
        name = held.message_id.strip("<>")
        goal, decisions = planned.get(name, (None, [])) if held.mailbox == "INBOX" else (None, [])
        mailbox, flags = goal or held.mailbox, flags_after(held.flags, decisions)
        places = now.get(name, [])
        fits = [p for p in places if p.mailbox == mailbox and {f.lower() for f in p.flags} - {"\\recent"} == flags - {"\\recent"}]
        if not fits:
            wrong.append(f"{held.subject!r}: planned {mailbox} {sorted(flags)}, "
                         f"stands in {[(p.mailbox, sorted(p.flags)) for p in places]}")
    return wrong + made(items, before, after, names)


def made(items, before, after, names):
    """Mails that the plan makes, and no others, stand among the drafts."""
    letters = sum(1 for item in items for d in item["decisions"]
                  if d["action"]["type"] in ("delegate", "vacation", "reply", "forward"))
    known = {held.message_id for held in before}
    new = [held for held in after if held.message_id not in known]
    if len(new) == letters and all(held.mailbox == names["drafts"] for held in new):
        return []
    return [f"{letters} drafts are planned, and {[(held.mailbox, held.subject) for held in new]} are new"]


def tasks(plan):
    """The titles of the tasks that the plan makes, without those on the list "waiting"."""
    return sorted(d["action"]["task"]["summary"] for item in plan["plan"]["items"] for d in item["decisions"]
                  if d["action"]["type"] == "task")
