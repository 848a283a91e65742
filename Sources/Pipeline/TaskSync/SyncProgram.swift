import Foundation

/// The supported programs for syncing a task folder with a calendar server, and how to interpret their
/// output.
public enum SyncProgram: String, CaseIterable, Sendable {
    case vdirsyncer
    case pimsync

    /// nil: the program is unknown, and only its exit code is used.
    init?(command: [String]) {
        let name = command.first?.split(separator: "/").last.map(String.init)
        guard let name, let program = SyncProgram(rawValue: name) else { return nil }
        self = program
    }

    /// A list that is empty on one side: vdirsyncer refuses to empty the other side.
    struct Emptied: Hashable, Sendable {
        /// The name in vdirsyncer's output: `tasks/next`.
        var pair: String
        var list: String
    }

    /// The lists that vdirsyncer refused because one side is empty.
    static func emptied(_ output: String) -> [Emptied] {
        var found: [Emptied] = []
        for line in output.split(whereSeparator: \.isNewline) {
            guard line.contains("was completely emptied"),
                let mark = line.range(of: "error: ")?.upperBound,
                let colon = line[mark...].firstIndex(of: ":"),
                let slash = line[mark..<colon].lastIndex(of: "/")
            else { continue }
            let one = Emptied(
                pair: String(line[mark..<colon]), list: String(line[line.index(after: slash)..<colon]))
            if !found.contains(one) { found.append(one) }
        }
        return found
    }

    /// Why a program failed, on one line: its first error, or its last line.
    static func reason(_ output: String, status: Int32) -> String {
        let lines = output.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
            .filter { !$0.isEmpty && !$0.hasPrefix("error: Use `-vdebug`") }
        if lines.contains(where: { $0.contains("401") || $0.contains("Unauthorized") }) {
            return "the calendar server refused the login"
        }
        let marks = ["critical: ", "error: ", "Error: ", "ERROR "]
        for line in lines {
            for mark in marks where line.hasPrefix(mark) { return short(line.dropFirst(mark.count)) }
        }
        return lines.last.map { short($0) } ?? "the program ended with \(status)"
    }

    private static func short(_ text: some StringProtocol) -> String {
        text.count > 300 ? text.prefix(300) + "…" : String(text)
    }
}
