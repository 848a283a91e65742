import ArgumentParser
import Documents
import Inspection
import Models
import Pipeline

struct DraftsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drafts", abstract: "List, show, edit and discard drafts.",
        subcommands: [List.self, Show.self, Edit.self, Discard.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List drafts, local and in the Drafts mailboxes, newest first.",
            discussion: "Includes changes that another program made since the last sync.")

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long,
            help: ArgumentHelp("Show at most this many, newest first; none shows all.", valueName: "number"))
        var limit = ListLimit.all

        func run() async throws {
            let console = global.listConsole()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                try await DraftTidings(session: session, console: console).tell(account: global.account)
                let all = try session.drafts.list(account: global.account)
                let lines = limit.number.map { Array(all.prefix($0)) } ?? all
                if console.isJSON {
                    return try console.print(json: DraftsDocument(lines, zone: session.zone))
                }
                DraftsOutput(session: session, console: console).show(lines)
                if lines.count < all.count {
                    console.note("\(all.count - lines.count) more (--limit \(lines.count))")
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a draft as your editor would open it.")

        @OptionGroup var global: GlobalOptions

        @Argument(help: "A draft id (opus drafts).")
        var draft: String

        func run() async throws {
            let console = global.listConsole()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                try await DraftTidings(session: session, console: console).tell(account: nil)
                // A pipe or a file gets the exact text, because `drafts edit --body` reads it again.
                console.print(bytes: Array((try await session.drafts.open(draft).text + "\n").utf8))
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Edit a draft in your editor.",
            discussion:
                "Without a terminal, or with --body, the whole draft with its header is read from the file or standard input."
        )

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Read the whole draft with its header from a file, or - for standard input.",
                valueName: "file"),
            completion: .file())
        var body: String?

        @Argument(help: "A draft id (opus drafts).")
        var draft: String

        func run() async throws {
            let console = global.console()
            let kept = Kept()
            let options = try global.sessionOptions()
            let typed = try body.map { String(decoding: try InspectionFile.read($0), as: UTF8.self) }
            let save = {
                try await Session.with(options, .reading) { session in
                    try await self.edit(session, console, typed, kept)
                }
            }
            if let typed, body == "-" {
                try await PipedText(text: typed, options: options, console: console).saved(by: save)
            } else {
                try await save()
            }
            guard let draft = kept.draft else { return }
            try await DraftEnding(global: global, console: console).end(
                draft, sends: false, with: SendingOptions())
        }

        private func edit(
            _ session: Session, _ console: Console, _ typed: String?, _ kept: Kept
        ) async throws {
            // A draft from --body was written without knowing another version: opus keeps both.
            let tidings = DraftTidings(session: session, console: console)
            if typed == nil { try await tidings.tell(account: nil) }
            var open = try await session.drafts.open(draft)
            try session.drafts.require(open, in: global.account)
            try session.drafts.mayEdit(open)
            guard let typed else {
                guard console.canAsk else {
                    throw Problem(
                        "needs-body", exit: .usage,
                        message: "no terminal to write on, and --body was not given",
                        next: ["--body FILE", "--body - (standard input)"])
                }
                open = try await tidings.newest(open)
                kept.draft = try Editing(
                    session: session, console: console, environment: global.environment
                )
                .edit(open, isNew: false)
                return
            }
            let (next, mistakes) = try session.drafts.keep(open, typed: typed)
            guard mistakes.isEmpty else {
                let name = try session.drafts.shortName(of: next.stored)
                throw Problem(
                    "unfinished-draft", exit: .badData,
                    message: "the header of draft \(name) cannot be read; your text is saved",
                    details: mistakes, next: ["opus drafts edit \(name)"])
            }
            kept.draft = next
        }

        private final class Kept: @unchecked Sendable {
            var draft: OpenDraft?
        }
    }

    struct Discard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Delete a draft, locally and in the Drafts mailbox.")

        @OptionGroup var global: GlobalOptions

        @Flag(name: [.long, .customShort("y")], help: "Do not ask.")
        var yes = false

        @Argument(help: "A draft id (opus drafts).")
        var draft: String

        func run() async throws {
            let console = global.console()
            guard yes || console.canAsk else {
                try global.requireWorkspace()
                throw Problem.needsYes(next: ["opus drafts discard \(draft) --yes"])
            }
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let open = try await session.drafts.open(draft)
                try session.drafts.require(open, in: global.account)
                let name = try session.drafts.shortName(of: open.stored)
                if !yes, !console.ask("Delete draft \(name)?") { return }
                let outcome = try await session.discarding.discard(open)
                console.print("Discarded \(name).")
                for line in outcome.news { console.note(TerminalText.line(line)) }
                let drain = outcome.report.drain
                if let words = drain.interruption ?? drain.failures.first?.reason {
                    console.note("Still in the Drafts mailbox: " + TerminalText.line(words))
                }
                for line in outcome.waits { console.print(TerminalText.line(line)) }
            }
        }
    }
}
