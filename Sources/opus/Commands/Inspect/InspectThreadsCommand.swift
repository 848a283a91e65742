import ArgumentParser
import Documents
import Inspection
import Models

/// `opus inspect threads`: shows which message answers which, in any mailbox file, without a workspace.
struct InspectThreadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads",
        abstract: "Show the threads of a Maildir, a folder of messages or an mbox as trees (RFC 5256).",
        discussion: "If messages answer one that is not in the mailbox, it is shown as missing.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Do not join threads that only have the same subject.")
    var noSubjects = false

    @Argument(
        help: "A Maildir, a folder of .eml files, or an mbox; - is an mbox on standard input.",
        completion: .file())
    var mailbox: String

    func run() throws {
        let console = global.listConsole()
        let found = try ThreadsInspection(mailbox, joinsSubjects: !noSubjects)
        if console.isJSON { return try console.print(json: MailThreadsDocument(found)) }
        for thread in found.threads {
            for node in thread.nodes { console.print(line(node)) }
        }
        console.note("\(counted(found.messages, "message")), \(counted(found.threads.count, "thread"))")
    }

    private func line(_ node: ThreadsInspection.Node) -> String {
        let place = String(repeating: "  ", count: min(node.depth, 20))
        guard let number = node.number else {
            return place + TerminalText.line("(missing) \(node.messageID ?? "")")
        }
        let who = node.from.map { $0.name ?? $0.address } ?? ""
        let words = [
            "\(number)", String((node.date ?? "no date").prefix(10)), who, node.subject ?? "",
            node.isDuplicate ? "(same Message-ID as an earlier one)" : "",
        ]
        return place + TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
    }
}
