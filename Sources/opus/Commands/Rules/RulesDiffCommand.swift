import ArgumentParser
import Documents
import Foundation
import Models
import Pipeline

extension RulesCommand {
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff", abstract: "Compare two versions of the rules over your mail.",
            discussion: """
                A version is a folder of rule files or a git revision of the rules folder; the second one defaults to the \
                rules of the workspace. Each message is judged as it arrived: unread, in the inbox, at its time of arrival. \
                Nothing is changed.
                """)

        @OptionGroup var global: GlobalOptions

        @Option(
            name: .long,
            help: ArgumentHelp("How far back to look (90d, 12w, 2y), or a query.", valueName: "time|query"))
        var over = "90d"

        @Option(
            name: .long,
            help: ArgumentHelp("Show this many messages of each difference.", valueName: "number"))
        var samples = 3

        @Flag(name: .long, help: "Judge messages as they are now: their mailbox, marks and age.")
        var today = false

        @Flag(name: .long, help: "Exit with 2 when there are differences, with 0 when there are none.")
        var detailedExitcode = false

        @Argument(help: "A folder, or a git revision such as HEAD~1.")
        var old: String

        @Argument(help: "A folder or a git revision; without it, the current rules.")
        var new: String?

        func run() throws {
            let console = global.console()
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let comparison = try session.rules.diff(
                RuleComparisonRequest(
                    old: old, new: new, over: over, asOfToday: today, samples: samples,
                    account: global.account),
                directory: FileManager.default.currentDirectoryPath)
            if console.isJSON {
                try console.print(json: RulesDiffDocument(comparison))
            } else {
                show(comparison, When(zone: session.zone, now: session.now), console)
            }
            if detailedExitcode, !comparison.isEmpty { throw Outcome(status: .changes) }
        }

        private func show(_ comparison: RuleComparison, _ when: When, _ console: Console) {
            guard console.isTerminal else { return showRows(comparison, when, console) }
            for rule in comparison.rules {
                let counts = [
                    (rule.gained.count, "gained"), (rule.lost.count, "lost"), (rule.changed.count, "changed"),
                ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
                console.print(console.style.bold(TerminalText.line(rule.rule)) + "  " + counts)
                for (mark, group) in Self.groups(rule) {
                    for sample in group.samples { show(sample, mark, when, console) }
                    let rest = group.count - group.samples.count
                    if rest > 0 { console.print("  \(mark) … \(rest) more") }
                }
                console.print("")
            }
            console.print(Self.summary(comparison))
        }

        private static func summary(_ comparison: RuleComparison) -> String {
            "\(side(comparison.old)) → \(side(comparison.new)), over \(TerminalText.line(comparison.query)): "
                + "\(comparison.different) of \(counted(comparison.messages, "message")) would be treated differently, "
                + "\(comparison.messages - comparison.different) the same."
        }

        private func show(_ sample: RuleComparison.Sample, _ mark: String, _ when: When, _ console: Console) {
            let name = TerminalText.padded(
                TerminalText.truncated(TerminalText.line(sample.from?.name ?? "(no sender)"), to: 18), to: 18)
            let left = "  \(mark) \(sample.shortID)  \(name)  "
            let words =
                mark == "~"
                ? "\(Self.words(sample.before, when)) → \(Self.words(sample.after, when))"
                : Self.words(mark == "+" ? sample.after : sample.before, when)
            let room = max(16, console.width - TerminalText.width(left) - TerminalText.width(words) - 3)
            let subject = TerminalText.truncated(
                TerminalText.line(sample.subject.isEmpty ? "(no subject)" : sample.subject), to: room)
            console.print(left + TerminalText.padded(subject, to: room) + "  " + console.style.dim(words))
        }

        /// One difference a line: `+`, `-` or `~`, rule, id, date, sender, subject, before, after.
        private func showRows(_ comparison: RuleComparison, _ when: When, _ console: Console) {
            for rule in comparison.rules {
                for (mark, group) in Self.groups(rule) {
                    for sample in group.samples {
                        console.print(
                            [
                                mark, TerminalText.line(rule.rule), sample.shortID,
                                when.zone.rfc3339(sample.date),
                                TerminalText.line(sample.from?.addrSpec ?? ""),
                                TerminalText.line(sample.subject),
                                Self.words(sample.before), Self.words(sample.after),
                            ].joined(separator: "\t"))
                    }
                }
            }
            let unshown = comparison.rules.flatMap(Self.groups).map { $1.count - $1.samples.count }.reduce(
                0, +)
            if unshown > 0 {
                console.note("\(unshown) more are not shown; --samples shows more of each kind.")
            }
            console.note(Self.summary(comparison))
        }

        private static func groups(_ rule: RuleComparison.Rule) -> [(String, RuleComparison.Group)] {
            [("+", rule.gained), ("-", rule.lost), ("~", rule.changed)]
        }

        private static func words(_ actions: [Action]) -> String {
            actions.isEmpty ? "nothing" : TerminalText.line(actions.map(\.word).joined(separator: ","))
        }

        private static func words(_ actions: [Action], _ when: When) -> String {
            actions.isEmpty
                ? "nothing" : TerminalText.line(actions.map(when.word(of:)).joined(separator: ","))
        }

        private static func side(_ side: RuleComparison.Side) -> String {
            "\(TerminalText.line(side.title)) (\(side.rules) rule\(side.rules == 1 ? "" : "s"))"
        }
    }
}
