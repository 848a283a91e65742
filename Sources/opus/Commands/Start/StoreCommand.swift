import ArgumentParser
import Documents
import Models
import Pipeline

struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Check, compact, rebuild and export the store of the workspace.",
        discussion:
            "The store is the file .opus/store.sqlite: mail as of the last sync, the search index, drafts, and what opus did.",
        subcommands: [Verify.self, Compact.self, Rebuild.self, Export.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check the store's file, its index and its references.",
            discussion: "Changes nothing. Exits with 1 if something is wrong, and says what to do.")

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let check = try session.care.verify { console.progress("Checking the \($0)") }
                console.endProgress()
                if console.isJSON {
                    try console.print(json: StoreVerifyDocument(check))
                } else {
                    show(check, console)
                }
                if !check.defects.isEmpty { throw Outcome(status: .someFailed) }
            }
        }

        private func show(_ check: StoreCare.Check, _ console: Console) {
            let mark = check.defects.isEmpty ? console.style.green("✓") : console.style.red("✗")
            console.print("\(mark) \(TerminalText.line(check.path))  \(ByteCount.words(check.bytes))")
            for defect in check.defects {
                console.print("  \(defect.code): \(TerminalText.line(defect.words))")
                console.print("    next: \(defect.next)")
            }
            guard check.defects.isEmpty else { return }
            console.print(
                "  \(counted(check.messages, "message")), \(ByteCount.words(check.contents)) of headers and texts"
            )
            if check.free > check.bytes / 4, check.free > 1 << 20 {
                console.print("  \(ByteCount.words(check.free)) are free      next: opus store compact")
            }
        }
    }

    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact", abstract: "Free the disk space that the store no longer needs.",
            discussion: """
                Merges the search index and writes the file again without gaps. It needs as much free space as the store has now. \
                Other commands can read meanwhile.
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let done = try session.care.compact { console.progress("Compacting the \($0)") }
                console.endProgress()
                if console.isJSON { return try console.print(json: StoreCompactDocument(done)) }
                console.print(
                    "Compacted the store: \(ByteCount.words(done.before)) before, \(ByteCount.words(done.after)) now."
                )
            }
        }
    }

    struct Rebuild: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rebuild", abstract: "Read all mail again, and keep what only the store has.",
            discussion: """
                Builds a new store beside the old one, and replaces the old one at the end. Drafts, outbox, runs, undo, what rules \
                did before, deferrals and links to tasks are kept; ids and run numbers stay the same. If you stop it, the old store \
                stays in use, and the next rebuild continues. It needs a connection to the accounts, and as much free disk space as \
                the store has.
                """)

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .changing) { session in
                let reporter = SyncReporter(console: console)
                let report = try await session.rebuilding.rebuild(
                    account: global.account, progress: { reporter.show($0) },
                    stage: { console.progress($0) })
                console.endProgress()
                if console.isJSON {
                    try console.print(json: StoreRebuildDocument(report))
                } else {
                    show(report, reporter, console)
                }
                if report.accounts.contains(where: { !$0.problems.isEmpty }) {
                    throw Outcome(status: .someFailed)
                }
            }
        }

        private func show(
            _ report: StoreRebuilding.Report, _ reporter: SyncReporter, _ console: Console
        ) {
            for account in report.accounts {
                console.print(
                    "Read \(account.added) \(account.added == 1 ? "message" : "messages") of \(account.account) again."
                )
                reporter.showProblems(account)
            }
            if report.kept > 0 {
                console.print("Kept \(report.kept) that the accounts no longer have.")
            }
            let kept = report.carried.filter { ["run", "draft", "deferral", "todo_link"].contains($0.table) }
            if !kept.isEmpty {
                console.print("Kept " + kept.map { "\($0.words): \($0.rows)" }.joined(separator: ", ") + ".")
            }
            console.print(
                "The store has \(ByteCount.words(report.after)) now, \(ByteCount.words(report.before)) before."
            )
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write all mail and all tasks into a new folder.",
            discussion: """
                Makes a folder for each account: a Maildir, or one mbox file for each mailbox. Each message is written whole, with its \
                flags and labels. The export has the mail of the last sync, so run opus sync first. Drafts that are not in a mailbox yet \
                go to opus-drafts, task files to tasks. The folder must not exist yet; until the export is complete, its name ends in \
                .unfinished.
                """)

        @OptionGroup var global: GlobalOptions

        @Argument(help: "The new folder.")
        var folder: String

        @Option(name: .long, help: ArgumentHelp("Write maildir or mbox.", valueName: "format"))
        var format: Format = .maildir

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case maildir
            case mbox

            var meaning: StoreExport.Format {
                switch self {
                case .maildir: .maildir
                case .mbox: .mbox
                }
            }
        }

        func validate() throws {
            if folder.isEmpty { throw ValidationError("Name the new folder.") }
        }

        func run() async throws {
            let console = global.console()
            try await Session.with(try global.sessionOptions(), .reading) { session in
                let report = try await session.export.export(
                    to: folder, as: format.meaning, account: global.account,
                    progress: {
                        console.progress(
                            "Exporting \($0.account) \(TerminalText.line($0.mailbox)) \($0.done)/\($0.total)")
                    })
                console.endProgress()
                if console.isJSON {
                    try console.print(json: StoreExportDocument(report))
                } else {
                    show(report, console)
                }
                if report.missing > 0 || report.labelsLeftOut > 0 { throw Outcome(status: .someFailed) }
            }
        }

        private func show(_ report: StoreExport.Report, _ console: Console) {
            let messages = counted(report.messages, "message")
            let tasks = counted(report.tasks, "task file")
            console.print("Wrote \(messages) and \(tasks) to \(TerminalText.line(report.folder)).")
            if report.drafts > 0 {
                console.print("  \(counted(report.drafts, "draft is", "drafts are")) in opus-drafts")
            }
            for mailbox in report.mailboxes where mailbox.missing > 0 {
                console.warn(
                    console.style.yellow("! ")
                        + "\(TerminalText.line(mailbox.mailbox)): the account did not return \(mailbox.missing) "
                        + "of \(mailbox.messages) messages; only their headers and texts were written")
            }
            for mailbox in report.mailboxes where mailbox.labelsLeftOut > 0 {
                console.warn(
                    console.style.yellow("! ")
                        + "\(TerminalText.line(mailbox.mailbox)): \(counted(mailbox.labelsLeftOut, "label")) of its messages "
                        + "\(mailbox.labelsLeftOut == 1 ? "was" : "were") left out, because a mailbox of a Maildir holds 26; "
                        + "--format mbox keeps all")
            }
        }
    }
}
