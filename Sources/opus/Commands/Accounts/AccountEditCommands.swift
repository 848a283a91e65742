import ArgumentParser
import Documents
import Models
import Pipeline

struct AccountAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Find the servers of an address, log in, and add the account to opus.yaml.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var account: NewAccountOptions

    func run() async throws {
        let console = global.console()
        let setup = try AccountSetup(
            try global.sessionOptions(), caFile: account.certificates.caFile, pin: account.pin)
        guard setup.place.exists else {
            throw Problem(
                "no-workspace", exit: .configuration,
                message: "opus.yaml not found, so the account cannot be added",
                next: ["opus init \(account.address ?? "ADDRESS")"])
        }
        let interview = AccountInterview(
            options: account, console: console, setup: setup, environment: global.environment,
            command: "opus account add")
        let imported = try interview.imported()
        let address = try interview.address(imported)
        let names = try setup.accountNames()
        let wish = try await interview.wish(address, imported, besides: names)
        let twin = try AccountEditing(setup.place).add(wish)
        let file = setup.place.file
        if console.isJSON {
            return try console.print(
                json: AccountEditDocument(
                    account: wish.name, change: "added", workspace: file, sameMailboxesAs: twin?.rawValue))
        }
        if let twin {
            console.warn(
                "\(wish.name) has the same mailboxes as account \(twin): each mail is read twice, and rules act on both. "
                    + "For a second address of one mailbox, use identities (opus help config).")
        }
        console.print("Added \(wish.name) to \(TerminalText.line(file)).")
        console.note("next: opus sync --account \(wish.name)")
    }
}

struct AccountRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an account from opus.yaml. Its mail and its password stay where they are.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "An account in opus.yaml.")
    var name: String

    @Flag(name: [.long, .customShort("y")], help: "Remove it without asking.")
    var yes = false

    func run() throws {
        let console = global.console()
        let setup = try AccountSetup(try global.sessionOptions())
        let editing = AccountEditing(setup.place)
        try editing.checkRemoval(of: name)
        // With an error in the settings, only the file can be edited.
        if let session = try? Session.open(try global.sessionOptions(), .reading) {
            defer { session.close() }
            try checkWork(in: session, console)
        }
        if !yes {
            guard console.canAsk else {
                throw Problem.needsYes(next: ["opus account remove \(name) --yes"])
            }
            guard console.ask("Remove the account \(TerminalText.line(name)) from opus.yaml?") else {
                return console.note("Nothing was changed.")
            }
        }
        try editing.remove(name)
        let file = setup.place.file
        if console.isJSON {
            return try console.print(
                json: AccountEditDocument(account: name, change: "removed", workspace: file))
        }
        console.print("Removed \(TerminalText.line(name)) from \(TerminalText.line(file)).")
    }

    /// Without the account, its mail in the outbox would not be sent, and its deferred mail would not come back.
    private func checkWork(in session: Session, _ console: Console) throws {
        let states: Set<OutboxLine.State> = [.queued, .held, .sending, .unknown, .needsDecision]
        let mails = try session.outbox.list(account: name).filter { states.contains($0.state) }
        if let first = mails.first {
            throw Problem(
                "being-sent", exit: .temporary,
                message:
                    "the outbox has \(counted(mails.count, "mail")) of account \(name); opus could no longer send it",
                next: ["opus outbox", "opus outbox discard \(first.id) makes it a draft again"])
        }
        let drafts = try session.drafts.onlyHere(account: name)
        if let first = drafts.first {
            throw Problem(
                "only-here", exit: .temporary,
                message:
                    "\(counted(drafts.count, "draft")) of account \(name) \(drafts.count == 1 ? "is" : "are") only here, not in its Drafts mailbox; opus could no longer show \(drafts.count == 1 ? "it" : "them")",
                next: [
                    "opus run puts drafts into Drafts", "opus drafts show \(first.id)",
                    "opus drafts discard \(first.id)",
                ])
        }
        for error in session.rules.errors(withoutAccount: name).prefix(5) {
            console.note(
                "\(TerminalText.line(error.file)):\(error.line) names the account \(name): without the account, opus applies no rules until you change this rule."
            )
        }
        let deferred = try session.deferrals.list(account: name).count
        guard deferred > 0 else { return }
        console.note(
            "\(counted(deferred, "deferred message")) of \(name): without the account, opus does not bring deferred mail back."
        )
    }
}
