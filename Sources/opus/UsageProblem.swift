import Models
import Pipeline

/// What the parser of arguments says, as the problem that every other error is.
enum UsageProblem {
    /// - Parameters:
    ///   - message: What is wrong, perhaps with more lines.
    ///   - whole: The same with the usage of the command, and where there is more about it.
    /// - Returns: one message, the usage as a detail, and the command that tells more.
    static func of(message: String, whole: String) -> Problem {
        let lines = message.split(whereSeparator: \.isNewline).map(String.init)
        let others = whole.split(whereSeparator: \.isNewline).map {
            String($0.trimmingPrefix(while: \.isWhitespace))
        }
        return Problem(
            "usage", exit: .usage, message: clause(lines.first ?? "these arguments cannot be read"),
            details: lines.dropFirst() + others.filter { $0.hasPrefix("Usage: ") },
            next: others.compactMap(command))
    }

    /// As all messages are: without a capital letter at the beginning or a full stop at the end.
    private static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// Of `See 'opus list --help' for more information.`
    private static func command(_ line: String) -> String? {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "See ", parts[2].hasPrefix(" for more") else { return nil }
        return String(parts[1])
    }
}
