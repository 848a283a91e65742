/// Hides mail addresses in a line of a protocol trace, so that users can send the trace with a bug report.
enum AddressRedaction {
    /// Replaces each run of characters with an `@` by `•••`, and keeps the text between the runs.
    static func hidden(in line: String) -> String {
        guard line.contains("@") else { return line }
        var result = ""
        var run = ""
        func flush() {
            result += run.contains("@") ? "•••" : run
            run = ""
        }
        for character in line {
            if separators.contains(character) {
                flush()
                result.append(character)
            } else {
                run.append(character)
            }
        }
        flush()
        return result
    }

    private static let separators: Set<Character> = [" ", "<", ">", "(", ")", "[", "]", ",", ";", "\"", "'"]
}

extension Reply {
    /// Its lines for a trace: without addresses, and without the server's part of a login.
    public var traced: [String] {
        guard code != 334 else { return ["334 •••"] }
        return lines.map { "\(code) " + AddressRedaction.hidden(in: $0) }
    }
}
