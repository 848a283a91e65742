import Models
import Pipeline

/// Turns an error of the argument parser into a ``Problem``.
enum UsageProblem {
    /// - Parameters:
    ///   - message: The error; it may have several lines.
    ///   - whole: The error with the usage and the hint to more help.
    /// - Returns: the message, the usage as a detail, and the help command as the next step.
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

    /// In the form of all messages: lower case at the beginning, without a full stop at the end.
    private static func clause(_ sentence: String) -> String {
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// The command in `See 'opus list --help' for more information.`
    private static func command(_ line: String) -> String? {
        let parts = line.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "See ", parts[2].hasPrefix(" for more") else { return nil }
        return String(parts[1])
    }
}
