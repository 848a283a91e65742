#!/usr/bin/env python3
"""Writes docs/providers: one page for each provider, from the table that is compiled in and the texts below.

    providers.py             writes the pages
    providers.py --check     exits with 1 if a page is not what this program would write
"""
import json
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "Sources" / "Discovery" / "Providers" / "providers.json"
PAGES = REPOSITORY / "docs" / "providers"
KINDS = {"password": "the password of the account", "app-password": "an app password", "oauth": "OAuth 2.0",
         "bridge": "the password that Proton Mail Bridge shows"}

GOOGLE = """\
        client-secret-command: [pass, show, mail/google-client]
        authorize-url: https://accounts.google.com/o/oauth2/v2/auth
        token-url: https://oauth2.googleapis.com/token
        scope: [https://mail.google.com/]
"""
MICROSOFT = """\
        authorize-url: https://login.microsoftonline.com/common/oauth2/v2.0/authorize
        token-url: https://login.microsoftonline.com/common/oauth2/v2.0/token
        device-url: https://login.microsoftonline.com/common/oauth2/v2.0/devicecode
        scope: [https://outlook.office.com/IMAP.AccessAsUser.All, https://outlook.office.com/SMTP.Send, offline_access]
"""
#: Row: (how to get a client id, the addresses of its OAuth server).
OAUTH = {
    "gmail": ("In the Google Cloud console, make a project and an OAuth client of the type “Desktop app”. While the app is in the "
              "state Testing, add your address as a test user; after 7 days you log in again.", GOOGLE),
    "google-workspace": ("In the Google Cloud console of your organisation, make an OAuth client of the type “Desktop app” with "
                         "the user type Internal. An internal app needs no verification by Google.", GOOGLE),
    "outlook": ("In Microsoft Entra, register an application for personal accounts, with the redirect address "
                "http://localhost of the type “Mobile and desktop applications”.", MICROSOFT),
    "microsoft365": ("In Microsoft Entra, register an application, with the redirect address http://localhost of the type "
                     "“Mobile and desktop applications”, and the permissions IMAP.AccessAsUser.All and SMTP.Send.", MICROSOFT),
}
WRONG = ("the server refused the login", "the user name or the password is wrong, or it is not the password that the provider wants",
         "make the password again, and check what the password command prints")
IMAP_OFF = ("IMAP is switched off for this mailbox", "IMAP is off until you switch it on")
APP = ("the provider requires an app password instead of your own", "the password of the account is refused for mail programs")
#: Row: what people see, why, and what to do.
TROUBLE = {
    "gmail": [(*APP, "make an app password"),
              ("the page of app passwords says that the setting is not available", "2-step verification is off, it uses security "
               "keys alone, or the account has Advanced Protection", "switch 2-step verification on with a second way; with Advanced "
               "Protection use OAuth"),
              (*IMAP_OFF, "in Gmail: Settings, Forwarding and POP/IMAP, Enable IMAP")],
    "google-workspace": [("`invalid_grant`: the login has expired or was revoked", "the token is old, or the administrator "
                          "removed the client", "`opus account login NAME`"),
                         (*IMAP_OFF, "ask the administrator to allow IMAP, and the client"),
                         ("your organisation has not allowed this application", "the administrator allows only known clients",
                          "send the administrator the client id")],
    "outlook": [("the provider no longer accepts passwords for this mailbox", "Microsoft switched passwords off in September 2024",
                 "use OAuth, as above"),
                (*IMAP_OFF, "Outlook on the web: Settings, Mail, Forwarding and IMAP")],
    "microsoft365": [("your organisation has not allowed this application (AADSTS65001, “Need admin approval”)", "the tenant "
                      "lets people use only applications that its administrator approved", "send the administrator the client id"),
                     ("the redirect address is not registered for this client id (AADSTS50011)", "the application was registered "
                      "for another address", "add http://localhost as “Mobile and desktop applications”, or use `--paste`"),
                     ("the provider has switched this application off (AADSTS7000112)", "Microsoft or the tenant disabled the "
                      "client id", "register an application of your own"),
                     (*IMAP_OFF, "ask the administrator to allow IMAP for your mailbox"),
                     ("mail is read but not sent", "the tenant has switched SMTP AUTH off", "ask the administrator, or write "
                      "drafts with opus and send them from Outlook")],
    "yahoo": [WRONG],
    "aol": [WRONG],
    "icloud": [WRONG, ("it worked, and is refused now", "a new password of the Apple Account revoked all app-specific passwords",
                       "make a new app-specific password"),
               ("refused, although the password is right", "the user name is the address at icloud.com, not another one of the "
                "Apple Account", "add `--user NAME@icloud.com`")],
    "fastmail": [(*APP, "make an app password with access to IMAP and SMTP"),
                 ("refused with every password", "the plan Basic has no IMAP", "change the plan")],
    "proton": [("no IMAP server was found: 127.0.0.1:1143 refused the connection", "Bridge does not run",
                "start Proton Mail Bridge, and run the same command again"),
               ("the bridge on this machine has a self-signed certificate", "no certificate authority signs for your own machine",
                "export the certificate in Bridge (Settings, Advanced), compare its fingerprint, and run opus init with `--pin`"),
               (WRONG[0], "it is the password of the Proton account", "use the password that Bridge shows for the mailbox")],
    "zoho": [(*IMAP_OFF, "Zoho Mail: Settings, Mail Accounts, IMAP Access"), WRONG],
    "zoho-eu": [(*IMAP_OFF, "Zoho Mail: Settings, Mail Accounts, IMAP Access"), WRONG],
    "gmx": [(*IMAP_OFF, "GMX: E-Mail, Einstellungen, POP3/IMAP Abruf; it goes off again after a long time without use"), WRONG],
    "gmx-com": [(*IMAP_OFF, "GMX: Email, Settings, POP3 & IMAP"), WRONG],
    "web.de": [(*IMAP_OFF, "WEB.DE: E-Mail, Einstellungen, POP3/IMAP Abruf; it goes off again after a long time without use"), WRONG],
    "mailbox.org": [WRONG],
    "posteo": [WRONG],
}
NOTES = {
    "gmail": ["An archived message is in All Mail. A label is a mailbox, and a message with several labels is in several mailboxes; "
              "opus treats it as one message."],
    "google-workspace": ["An archived message is in All Mail, and a label is a mailbox."],
    "proton": ["Bridge numbers all messages again now and then (a new UIDVALIDITY). opus then reads the mailbox again and knows each "
               "message by its header."],
    "outlook": ["The archive is the mailbox that Outlook calls Archive; it exists once you archived something there."],
}
#: Services of opus tasks sync-setup.
TASKS = {"fastmail", "mailbox.org", "posteo"}
#: An account name in examples.
NAMES = {"google-workspace": "work", "microsoft365": "work", "gmx-com": "gmx", "zoho-eu": "zoho", "web.de": "web"}


def sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def page(row):
    address = "you@" + (row["domains"][0] if row["domains"] else "example.org")
    name = NAMES.get(row["id"], row["id"].partition(".")[0])
    lines = [f"# {row['name']}", ""]
    if row["domains"]:
        lines += ["Addresses at " + ", ".join(row["domains"]) + "."]
    if row["mx"]:
        own = "Also addresses at a domain" if row["domains"] else "Addresses at a domain"
        lines += [f"{own} of your own, if its mail exchanger is below " + " or ".join(f"`{end}`" for end in row["mx"]) + "."]
    lines += ["", "Login: " + " or ".join(KINDS[kind] for kind in row["login"]) + ".", "", "## From the address to the first plan", ""]
    step = f"{sentence(row['step'])} Page: <{row['page']}>"
    if row["login"] == ["oauth"]:
        lines += [f"1. {step}", *oauth(row, address, name)]
    else:
        pin = " --pin sha256:…" if row["login"] == ["bridge"] else ""
        lines += [f"1. {step}", "2. Let opus find the servers, log in and read the mail. Without `--password-command` it asks for the "
                  "password.", "", "   ```sh", "   mkdir ~/mail && cd ~/mail",
                  f"   opus init {address}{pin} --password-command 'pass show mail/{name}'", "   ```", "",
                  "3. Read the first plan. So far, opus has changed nothing: it opened every mailbox read-only.",
                  "4. `opus run` shows the plan again, asks, and applies it. `opus undo` undoes it."]
        if "oauth" in row["login"]:
            lines += ["", "With OAuth in place of an app password:", "", *oauth(row, address, name)]
    lines += ["", "## What blocks people", "", "| what you see | why | what to do |", "|---|---|---|"]
    lines += [f"| {sees} | {why} | {what} |" for sees, why, what in TROUBLE[row["id"]]]
    lines += ["", *[f"- {sentence(block)}" for block in row["blocks"]]]
    if row["id"] in NOTES:
        lines += ["", "## Good to know", "", *NOTES[row["id"]]]
    if row["id"] in TASKS:
        lines += ["", "## Tasks on the phone", "", f"{row['name']} also keeps tasks ([how](../tasks.md#tasks-on-the-phone)):", "", "```sh",
                  f"opus tasks sync-setup {row['id']} --password-command 'pass show caldav/{name}'", "```"]
    lines += ["", "## Servers", "", "| | server | port | security |", "|---|---|---|---|"]
    for kind in ("imap", "smtp"):
        server = row[kind]
        lines.append(f"| {kind.upper()} | `{server['host']}` | {server['port']} | {server['security']} |")
    servers = row.get("servers")
    compared = (f"in [Mozilla's database]({servers['source']}), as of {servers['read']}" if servers
                else "not compared with another source")
    lines += ["", f"Sources: the login as [{row['name']} describes it]({row['source']}), as of {row['asOf']}; the servers {compared}.", "",
              "`docs/tools/providers.py` makes this page from the table of providers."]
    return "\n".join(lines) + "\n"


def oauth(row, address, name):
    how, urls = OAUTH[row["id"]]
    number = 2 if row["login"] == ["oauth"] else 1
    imap, smtp = row["imap"], row["smtp"]
    return [f"{number}. {how}",
            f"{number + 1}. Write `opus.yaml` in a new folder, and copy the starter rules (`cp -r /usr/local/share/opus/rules .`):", "",
            "```yaml", "config-version: 1", "accounts:", f"  - name: {name}", f"    address: {address}",
            f"    imap: {{ host: {imap['host']}, port: {imap['port']}, security: {imap['security']} }}",
            f"    smtp: {{ host: {smtp['host']}, port: {smtp['port']}, security: {smtp['security']} }}",
            "    login:", "      oauth:", "        client-id: THE-ID-OF-THE-CLIENT", urls.rstrip("\n"), "```", "",
            f"{number + 2}. `opus account login {name}` opens the login in a browser; `--paste` and `--device` are for machines without "
            "one. More is in [configuration.md](../configuration.md#oauth).",
            f"{number + 3}. `opus account check {name}`, then `opus triage --dry-run` after `opus sync`: the first plan. opus changes nothing "
            "before you accept a plan with `opus run`."]


def index(rows):
    lines = ["# Providers", "", "A page for each provider that opus knows: from the address to the first plan, what blocks people, and "
             "what to do. For other servers see [accounts.md](../accounts.md#your-own-server).", "",
             "| provider | login | addresses |", "|---|---|---|"]
    for row in rows:
        domains = ", ".join(row["domains"][:3]) + (" and others" if len(row["domains"]) > 3 else "")
        lines.append(f"| [{row['name']}]({row['id']}.md) | {' or '.join(KINDS[kind] for kind in row['login'])} | "
                     f"{domains or 'domains of your own'} |")
    return "\n".join(lines) + "\n"


def pages():
    rows = json.loads(TABLE.read_text())
    return {"README.md": index(rows), **{f"{row['id']}.md": page(row) for row in rows}}


def differences():
    """Names of pages that are missing, changed by hand, or left over."""
    wanted = pages()
    there = {path.name: path.read_text() for path in PAGES.glob("*.md")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def main():
    if "--check" in sys.argv[1:]:
        wrong = differences()
        for name in wrong:
            print(f"docs/providers/{name} is not what docs/tools/providers.py writes", file=sys.stderr)
        return 1 if wrong else 0
    PAGES.mkdir(exist_ok=True)
    for name, text in pages().items():
        (PAGES / name).write_text(text)
    for name in set(path.name for path in PAGES.glob("*.md")) - pages().keys():
        (PAGES / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
