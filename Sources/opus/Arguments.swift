/// Global options may stand before the command (`opus --workspace W sync`): they are moved behind it, where the
/// commands declare them. Every other word stays where it is. `help` shows the same page whatever they say, and declares
/// none: before it they are left out.
enum Arguments {
    /// Options of ``GlobalOptions`` that take a value, and those that take none.
    private static let valued: Set<String> = [
        "--workspace", "--account", "-a", "--color", "--now", "--trace",
    ]
    private static let flags: Set<String> = ["--json", "--quiet", "-q", "--verbose", "-v"]

    static func normalized(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            if flags.contains(first) || valued.contains(where: { first.hasPrefix($0 + "=") }) {
                leading.append(rest.removeFirst())
            } else if valued.contains(first) {
                leading.append(rest.removeFirst())
                if let value = rest.popFirst() { leading.append(value) }
            } else {
                break
            }
        }
        guard !leading.isEmpty, !rest.isEmpty else { return arguments }
        if rest.first == "help" { return Array(rest) }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end]) + leading + Array(rest[end...])
    }
}
