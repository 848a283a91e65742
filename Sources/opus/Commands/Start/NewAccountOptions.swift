import ArgumentParser

/// The options of `opus init` and `opus account add` that describe a new account.
struct NewAccountOptions: ParsableArguments {
    @Argument(help: "The address of the account.")
    var address: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The IMAP server, instead of a search (imap.example.org:993).", valueName: "server"))
    var imap: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The SMTP server, instead of a search (smtp.example.org:465).", valueName: "server"))
    var smtp: String?

    @Option(
        name: .long, help: ArgumentHelp("A Maildir on this machine, instead of servers.", valueName: "folder")
    )
    var maildir: String?

    @Option(name: .long, help: ArgumentHelp("The user name (default: the address).", valueName: "name"))
    var user: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Program and arguments that print the password ($OPUS_PASSWORD_COMMAND); no shell reads them.",
            valueName: "command"))
    var passwordCommand: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Program and arguments that print an OAuth token.", valueName: "command"))
    var tokenCommand: String?

    @OptionGroup var certificates: CertificateOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Trust this one certificate of the servers, by its SHA-256 fingerprint.", valueName: "sha256:…"))
    var pin: String?

    @Option(name: .long, help: ArgumentHelp("The account's name in opus.yaml.", valueName: "name"))
    var name: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Take server, user and password command from another program's settings: mbsync, offlineimap, notmuch, aerc, himalaya or thunderbird.",
            valueName: "program"))
    var from: String?

    @Flag(name: [.long, .customShort("y")], help: "Do not ask: use the servers that were found.")
    var yes = false
}
