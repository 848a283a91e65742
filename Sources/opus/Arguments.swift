/// Global options may stand before the command (`opus --workspace W sync`): they are moved behind it, where the
/// commands declare them.
enum Arguments {
    static func normalized(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var rest = arguments[...]
        while let first = rest.first, first.hasPrefix("-"), first != "--", first != "--help", first != "-h",
            first != "--version"
        {
            leading.append(rest.removeFirst())
            if GlobalOptions.valued.contains(first), let value = rest.popFirst() { leading.append(value) }
        }
        guard !leading.isEmpty, !rest.isEmpty else { return arguments }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end]) + leading + Array(rest[end...])
    }
}
