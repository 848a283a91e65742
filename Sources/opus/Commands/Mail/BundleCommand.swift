import ArgumentParser
import Documents
import Models
import Pipeline

/// Newsletters and notifications, shown as one line for each bundle.
struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle", abstract: "List the bundles in the inbox, or archive a bundle.",
        discussion: """
            opus list shows all mail of a bundle as one line. A rule (bundle: Reading) or a label (bundles: in opus.yaml) puts \
            mail into a bundle. Example: opus bundle clear Reading.
            """, subcommands: [BundleListCommand.self, BundleClearCommand.self],
        defaultSubcommand: BundleListCommand.self)
}

struct BundleListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the bundles in the inbox, or the messages of one.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The name of a bundle.")
    var name: String?

    func run() async throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let console = global.console()
        let bundles = try session.bundling.inbox(account: global.account).filter { bundle in
            name.map { $0.lowercased() == bundle.bundle.name.lowercased() } ?? true
        }
        if console.isJSON { return try console.print(json: BundlesDocument(bundles)) }
        guard !bundles.isEmpty else { return console.print("The inbox has no bundle.") }
        guard name == nil else {
            return try MessageListOutput(session: session, console: console).show(
                bundles.flatMap(\.lines), next: nil)
        }
        for bundle in bundles { console.print(TerminalText.line(bundle.words)) }
        console.note("next: opus bundle list NAME      or  opus bundle clear NAME")
    }
}

struct BundleClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Archive all mail of the named bundles in the inbox.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The names of bundles.")
    var names: [String]

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let reports = try await session.bundling.clear(names, account: global.account)
            try RunOutput(session: session, console: console).show(reports)
            let outcome = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }
}
