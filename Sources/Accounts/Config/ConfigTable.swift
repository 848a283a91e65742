import Models
import SASL

/// All keys of `opus.yaml`.
public enum ConfigTable {
    private static let yesNo = ConfigKey.Shape.words(["true", "false"])

    public static let keys: [ConfigKey] = [
        ConfigKey("config-version", .words(["1"]), isRequired: true, "the version of this file"),
        ConfigKey(
            "me",
            .section([
                ConfigKey("name", .text, standard: "", "your name, for mails that opus composes"),
                ConfigKey("addresses", .texts, "your addresses; those of the accounts are added"),
            ]), "who you are"),
        ConfigKey("time-zone", .text, "an IANA name such as Europe/Paris, or UTC; default: the system's"),
        ConfigKey(
            "work-hours",
            .section([
                ConfigKey("days", .oneOrMore, standard: "mon-fri", "mon-fri, mon,wed,fri, or a list"),
                ConfigKey("from", .text, standard: "09:00", "when work begins: hh:mm"),
                ConfigKey("to", .text, standard: "18:00", "when work ends: hh:mm"),
            ]), "when you work"),
        ConfigKey(
            "dates",
            .section([
                ConfigKey(
                    "order", .words(["day-month", "month-day"]), standard: "day-month",
                    "whether 03/04 is in April or in March")
            ]), "how dates are read"),
        ConfigKey(
            "tasks",
            .section([
                ConfigKey("path", .text, "the folder of task files"),
                ConfigKey(
                    "when-done", .words(["archive", "keep", "trash"]), standard: "archive",
                    "what happens to the mail of a completed task"),
                ConfigKey(
                    "when-cancelled", .words(["archive", "keep", "trash"]), standard: "archive",
                    "what happens to the mail of a cancelled task"),
                ConfigKey(
                    "max-nudges", .number(0...20), standard: "2", "how often opus nudge writes about one task"
                ),
                ConfigKey(
                    "sync-command", .texts,
                    "program and arguments that sync the task folder with a calendar server"),
                ConfigKey(
                    "sync-every", .text, standard: "45s",
                    "how often opus watch starts it: 45s, 5m, 1h, or never"),
            ]), "task files"),
        folder("rules", "the folder of rule files"),
        folder("store", "the folder of the store"),
        ConfigKey(
            "originals",
            .section([
                ConfigKey(
                    "max-size", .text, standard: "500M",
                    "how much disk space they may take: 500M, 2G; 0 keeps none"),
                ConfigKey(
                    "max-age", .text, "remove those that were not opened for this long: 90d, 12w, 6mo, 1y"),
            ]), "messages that were opened whole and are kept beside the store"),
        folder("attachments", "the folder of saved attachments"),
        ConfigKey(
            "attachment-text",
            .section([
                ConfigKey(
                    "index", yesNo, standard: "false",
                    "whether a sync reads attached files, PDF with pdftotext, so that searches find their text"
                ),
                ConfigKey("max-size", .text, standard: "10M", "the largest file that is read: 500K, 20M"),
            ]), "the text of attached files"),
        ConfigKey("allow-send", yesNo, standard: "false", "whether rules may send mail"),
        ConfigKey(
            "brakes",
            .section([
                ConfigKey(
                    "share", .number(1...100), standard: "50", "per cent of a mailbox that one plan moves"),
                ConfigKey("count", .number(0...1_000_000), standard: "50", "messages that one plan moves"),
                ConfigKey("sends", .number(0...10_000), standard: "20", "mails that one plan sends"),
                ConfigKey("trash", .number(0...1_000_000), "messages that one plan moves to trash and junk"),
            ]), "beyond these, a plan is applied only by its id"),
        ConfigKey(
            "send",
            .section([
                ConfigKey("hold", .text, standard: "30s", "how long you can stop a mail before it is sent"),
                ConfigKey("max-per-run", .number(1...10_000), standard: "20", "mails that one command sends"),
                ConfigKey("max-per-hour", .number(1...10_000), standard: "60", "mails sent within an hour"),
                ConfigKey(
                    "max-per-recipient-per-hour", .number(1...10_000), standard: "3",
                    "mails that rules send to one address within an hour"),
            ]), "limits of sending"),
        ConfigKey(
            "defer",
            .section([ConfigKey("default", .text, standard: "someday", "when such mail comes back")]),
            "mail that another program moves into the Deferred mailbox"),
        ConfigKey(
            "command-mailboxes",
            .either([
                .text,
                .section(
                    [ConfigKey("below", .text, standard: "Opus", "the parent of these mailboxes")]
                        + CommandMailboxes.Word.allCases.map {
                            ConfigKey($0.rawValue, .text, "the name of this command mailbox")
                        }),
            ]), "mailboxes in which a message is an order"),
        ConfigKey("people", .named(.text), "people to whom you delegate mail, by name"),
        ConfigKey(
            "first-run",
            .section([
                ConfigKey("since", .text, standard: "all", "how far back rules make tasks and drafts")
            ]),
            "mail that was there before rules first ran"),
        ConfigKey(
            "screener",
            .either([
                .words(["on", "off", "true", "false"]),
                .section([
                    ConfigKey(
                        "mailbox", .text, standard: "Screener", "where mail of first-time senders waits"),
                    ConfigKey("address-book", .text, "a file with people whom you know"),
                ]),
            ]), standard: "off", "mail of first-time senders waits"),
        ConfigKey(
            "watch",
            .section([
                ConfigKey(
                    "apply", .words(WatchSettings.Applied.allCases.map(\.rawValue)), standard: "auto",
                    "which rules opus watch applies as mail comes: those with auto: true, all or none"),
                ConfigKey("hook", .texts, "a program and its arguments, started for each event"),
                ConfigKey(
                    "desktop", .words(["true", "false", "on", "off"]), standard: "false",
                    "whether events are shown with notify-send"),
                ConfigKey(
                    "events", .texts,
                    "what opus notifies you of: "
                        + WatchSettings.Event.allCases.map(\.rawValue).joined(separator: ", ")),
                ConfigKey("quiet", .text, "the hours without notifications, such as \"22:00-07:00\""),
                ConfigKey(
                    "text", .words(["true", "false", "on", "off"]), standard: "false",
                    "whether events contain senders, subjects and other text of mail"),
            ]), "what opus watch does by itself"),
        ConfigKey(
            "threads",
            .section([
                ConfigKey(
                    "subjects", .words(ThreadSettings.Subjects.allCases.map(\.rawValue)), standard: "marked",
                    "when a mail that names no other is shown in the thread with its subject: if one is a reply, always or never"
                ),
                ConfigKey(
                    "within", .text, standard: "30d",
                    "the longest time between two such mails: 30d, 8w, 6mo, 1y"),
            ]), "how mail is shown in threads"),
        ConfigKey(
            "bundles",
            .named(
                .section([
                    ConfigKey("labels", .texts, "labels that belong to the bundle"),
                    ConfigKey("deliver", .text, "when new mail of it reaches the inbox"),
                ])), "bundles, by name"),
        ConfigKey("searches", .named(.text), "saved searches, by name: query:NAME"),
        ConfigKey("accounts", .listed(account), "your accounts"),
    ]

    private static func folder(_ name: String, _ help: String) -> ConfigKey {
        ConfigKey(name, .section([ConfigKey("path", .text, isRequired: true, help)]), help)
    }

    // MARK: Accounts

    private static let account: [ConfigKey] = [
        ConfigKey("name", .text, isRequired: true, "letters, digits, -, _ and .; do not change it later"),
        ConfigKey("address", .text, isRequired: true, "the account's mail address"),
        ConfigKey("maildir", .text, "the folder of a Maildir"),
        ConfigKey("imap", .section(server), "the server that has the mail"),
        ConfigKey(
            "smtp",
            .section(
                server + [
                    ConfigKey(
                        "login", .words(["account", "none"]), standard: "account",
                        "whether the account's login is used")
                ]), "the server that sends"),
        ConfigKey("sendmail", .texts, "a program that sends, in place of smtp"),
        ConfigKey(
            "tls", .section([ConfigKey("pin", .text, "sha256:…: the one certificate to trust")]),
            "for imap and smtp"),
        ConfigKey(
            "login",
            .section([
                ConfigKey("user", .text, "the user name; default: the address"),
                ConfigKey("password-command", .texts, "program and arguments that print the password"),
                ConfigKey("token-command", .texts, "program and arguments that print an access token"),
                ConfigKey("oauth", .section(oauth), "a login by OAuth 2.0: opus account login NAME"),
                ConfigKey(
                    "mechanism", .words(SASLMechanism.allCases.map { $0.rawValue.lowercased() }),
                    "the only way to log in; default: the best that the server offers"),
            ]), "how opus logs in"),
        ConfigKey(
            "folders",
            .section(
                AccountReader.folderRoles.map {
                    ConfigKey($0.rawValue, .text, "the mailbox with this role")
                }), "names of mailboxes; default: found by their roles"),
        ConfigKey(
            "sync",
            .section([
                ConfigKey(
                    "window", .text, standard: "all", "how far back mail is fetched: 90d, 12w, 6mo, 2y, all"),
                ConfigKey("exclude", .texts, "mailboxes that opus never reads"),
                ConfigKey("connections", .number(1...5), "connections at once"),
                ConfigKey(
                    "compress", .words(SyncSettings.Compression.allCases.map(\.rawValue)), standard: "off",
                    "when the connection is compressed"),
                ConfigKey(
                    "notify", yesNo, standard: "true",
                    "whether opus watch receives changes of every mailbox, where the server offers NOTIFY"),
                ConfigKey("utf8", yesNo, standard: "false", "whether UTF8=ACCEPT is used"),
            ]), "how mail is fetched"),
        ConfigKey(
            "allow",
            .either([
                .words(Permissions.Level.allCases.map(\.rawValue)), .texts,
            ]), standard: "full", "what opus may do in the account"),
        ConfigKey("authserv-id", .oneOrMore, "servers whose Authentication-Results are trusted"),
        ConfigKey(
            "smime", .section([ConfigKey("ca-file", .text, isRequired: true, "additional authorities")]),
            "certificates of people"),
        ConfigKey("signature", .text, "a text below your mails"),
        ConfigKey("signature-file", .text, "a file with the signature"),
        ConfigKey("identities", .rows(identity), "other addresses that you write from in this account"),
    ]

    static let identity: [ConfigKey] = [
        ConfigKey("from", .text, isRequired: true, "the address"),
        ConfigKey("name", .text, "your name in mails from it; default: me.name"),
        ConfigKey("signature", .text, "a text below mails from it; default: that of the account"),
        ConfigKey("signature-file", .text, "a file with the signature"),
        ConfigKey("sent", .text, "the mailbox for copies of mails from it; default: Sent"),
    ]

    private static let oauth: [ConfigKey] = [
        ConfigKey(
            "client-id", .text,
            "the id of the application, as the provider gave it; default: opus registers itself with the issuer"
        ),
        ConfigKey("issuer", .text, "a provider that registers open clients: it names the other addresses"),
        ConfigKey(
            "client-secret-command", .texts, "program and arguments that print its secret, if it has one"),
        ConfigKey("authorize-url", .text, "where you log in with a browser"),
        ConfigKey("token-url", .text, "where opus gets tokens"),
        ConfigKey("device-url", .text, "where opus gets a code for another device"),
        ConfigKey("scope", .oneOrMore, "what the application may do"),
        ConfigKey(
            "redirect", .text, standard: "https://localhost",
            "the registered redirect address for login --paste"),
        ConfigKey("parameters", .named(.text), "more parameters of the authorization request"),
        ConfigKey("refresh-life", .text, "how long a login lasts, if the provider does not say: 7d"),
        ConfigKey("store", .words(OAuthReader.stores), standard: "file", "where the tokens are kept"),
        ConfigKey("load-command", .texts, "program and arguments that print the refresh token"),
        ConfigKey("store-command", .texts, "a program that takes a new refresh token on standard input"),
        ConfigKey("credential", .text, "the name of a systemd credential with the refresh token"),
        ConfigKey("ca-file", .text, "certificates to trust instead of the system's"),
    ]

    private static let server: [ConfigKey] = [
        ConfigKey("host", .text, isRequired: true, "a name or an address"),
        ConfigKey("port", .number(1...65_535), "default: by security"),
        ConfigKey(
            "security", .words(ServerSettings.Security.allCases.map(\.rawValue)), standard: "tls",
            "how the connection is protected"),
        ConfigKey("ca-file", .text, "certificates to trust instead of the system's"),
    ]
}
