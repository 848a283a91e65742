import ArgumentParser
import Documents
import Foundation
import Models
import Pipeline
import Rules

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up an account: find its servers, sync, and show the first plan. Changes no mail.",
        discussion: """
            Finds the servers of the address, logs in, writes opus.yaml and the starter rules, reads the mail, and shows \
            what each rule would do. Nothing is changed on the server, and no file of yours is overwritten. Run it again to \
            continue where it stopped.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var account: NewAccountOptions

    func run() async throws {
        let console = global.console()
        var options = try global.sessionOptions()
        let setup = try AccountSetup(options, caFile: account.certificates.caFile, pin: account.pin)
        let interview = AccountInterview(
            options: account, console: console, setup: setup, environment: global.environment,
            command: "opus init")
        let (id, wish) = try await prepare(setup, interview, console)
        options.workspace = setup.place.file
        try await Session.with(options, .changing) { session in
            let reporter = SyncReporter(console: console)
            let report = try await reporter.run(session, id)
            if !console.isJSON { reporter.show(report) }
            let look = try FirstLook(session, id)
            if console.isJSON {
                return try console.print(
                    json: InitDocument(
                        look, workspace: setup.place.file, created: wish != nil, wish: wish))
            }
            try show(look, session, console)
        }
    }

    /// The existing account, or a new one.
    private func prepare(
        _ setup: AccountSetup, _ interview: AccountInterview, _ console: Console
    ) async throws -> (AccountID, AccountWish?) {
        let given = account.address.flatMap { EmailAddress($0) }
        if let id = try setup.existing(given) {
            console.note("\(setup.place.file) has the account \(id): continuing with it.")
            let copied = try setup.completeRules()
            if !copied.isEmpty { console.note("Copied \(counted(copied.count, "starter rule file")).") }
            return (id, nil)
        }
        let imported = try interview.imported()
        let address = try interview.address(imported)
        let wish = try await interview.wish(address, imported, besides: [])
        let copied = try setup.write(wish, name: imported?.personName ?? "")
        console.note("Wrote \(setup.place.file).")
        if !copied.isEmpty { console.note("Copied \(counted(copied.count, "starter rule file")).") }
        return (AccountID(wish.name), wish)
    }

    private func show(_ look: FirstLook, _ session: Session, _ console: Console) throws {
        let roles = look.mailboxes.filter { $0.role != nil }.map {
            "\($0.role?.rawValue ?? ""): \($0.displayName)"
        }
        console.note(
            TerminalText.line(
                "\(counted(look.mailboxes.count, "mailbox", "mailboxes")); "
                    + roles.sorted().joined(separator: ", ")))
        var table = Table([
            .init(title: "RULE"), .init(title: "MESSAGES"), .init(title: "WOULD", isFlexible: true),
        ])
        for number in look.numbers {
            table.add(
                [number.rule, "\(number.messages)", number.actions.joined(separator: ", ")].map {
                    TerminalText.line($0)
                })
        }
        console.print(table)
        console.print("")
        try PlanOutput(session: session, console: console).show(look.plan, look.rules, isDryRun: false)
        let offers = try session.firstDay.offers(account: look.account.rawValue).filter {
            !$0.backlog.isEmpty
        }
        for offer in offers { FirstDayOutput(console: console).show(offer) }
        console.note(
            "Nothing was changed.      next: "
                + (offers.isEmpty
                    ? "opus triage (asks, then applies the plan)"
                    : "opus triage --first (offers to archive the old mail, then asks about the plan)"))
    }
}
