/// Global options may precede the command (`opus --workspace W sync`). They are moved after it, where the commands
/// declare them; before `help`, which does not declare them, they are removed.
enum Arguments {
    /// Options of ``GlobalOptions`` that take a value, and those that take none.
    private static let valued: Set<String> = [
        "--workspace", "--account", "-a", "--color", "--now", "--trace",
    ]
    private static let flags: Set<String> = ["--json", "--quiet", "-q", "--verbose", "-v", "--no-pager"]

    /// Finds an unknown command after global options, for which the argument parser would blame an option; nil: no
    /// unknown command.
    static func problem(_ arguments: [String], commands: Set<String>) -> (message: String, next: [String])? {
        var rest = arguments[...]
        while let first = rest.first, first.hasPrefix("-") {
            if valued.contains(first) {
                guard rest.count > 1 else { return ("\(first) needs a value", ["opus --help"]) }
                rest.removeFirst()
            } else if !flags.contains(first), !valued.contains(where: { first.hasPrefix($0 + "=") }) {
                return nil
            }
            rest.removeFirst()
        }
        guard let word = rest.first else {
            return arguments.isEmpty ? nil : ("the command is missing after the options", ["opus --help"])
        }
        guard !commands.contains(word) else { return nil }
        let near = UnknownCommand.meant(by: word, among: commands.sorted())
        return (
            "unknown command \"\(word)\"",
            (near.map { ["did you mean opus \($0)?"] } ?? []) + ["opus --help"]
        )
    }

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
        guard let command = rest.first else { return arguments }
        if command == "help" { return leading.isEmpty ? arguments : Array(rest) }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        var own = Array(rest[..<end])
        // With a blank before it, the parser does not take the term for an option; a query ignores the blank.
        if queried.contains(command) { own = own.map { isExclusion($0) ? " " + $0 : $0 } }
        return own + leading + Array(rest[end...])
    }

    /// The commands whose arguments are a query.
    private static let queried: Set<String> = ["list", "ls", "threads", "search", "triage", "run", "inbox"]

    /// Whether the argument is a term of a query that excludes messages, such as `-label:news` or `-(from:bob is:read)`, and
    /// not an option.
    private static func isExclusion(_ argument: String) -> Bool {
        guard argument.first == "-" else { return false }
        let term = argument.dropFirst()
        if term.first == "(" { return true }
        let name = term.prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
        guard name.count > 1, name.first != "-" else { return false }
        return [":", "<", ">"].contains(term.dropFirst(name.count).first)
    }
}
