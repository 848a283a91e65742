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
        /// Whether the server's side is empty, and not the one here.
        var isThere = true
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
                pair: String(line[mark..<colon]), list: String(line[line.index(after: slash)..<colon]),
                isThere: !line[colon...].contains("Storage \"local/"))
            if !found.contains(one) { found.append(one) }
        }
        return found
    }

    /// The pair whose lists vdirsyncer must find before it can sync: its password has changed, or what it remembers was lost.
    static func undiscovered(_ output: String) -> String? {
        guard let mark = output.range(of: "vdirsyncer discover ")?.upperBound else { return nil }
        let pair = output[mark...].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        return pair.isEmpty ? nil : String(pair)
    }

    /// What the user can do about a failure.
    static func next(after output: String) -> String? {
        if output.contains("changed on both sides") {
            return "make both versions the same, or choose one: the same opus tasks sync-setup command with "
                + "--conflict here or --conflict server"
        }
        return undiscovered(output).map { "vdirsyncer discover \($0), then opus tasks sync" }
    }

    /// Why a program failed, on one line: its first error, or its last line.
    static func reason(_ output: String, status: Int32) -> String {
        let lines = output.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
            .filter { !$0.isEmpty && !$0.hasPrefix("error: Use `-vdebug`") }
        if lines.contains(where: { $0.contains("401") || $0.contains("Unauthorized") }) {
            return "the calendar server refused the login"
        }
        if let line = lines.first(where: { $0.contains("changed on both sides") }),
            let pair = line.split(separator: " ").first(where: { $0.contains("/") })
        {
            let list = pair.split(separator: "/").last?.drop { $0 == ":" }.prefix { $0 != ":" } ?? ""
            return "a task of list \(list) changed here and on the server; both versions stay as they are"
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
