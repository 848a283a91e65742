import Models
import YAMLSource

/// Reads `command-mailboxes:`, a name or a mapping, and `people:`.
enum CommandMailboxesReader {
    private static let below = "below"

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> CommandMailboxes? {
        if let name = node.scalar { return check(name, node, &reader).map { CommandMailboxes(below: $0) } }
        let words = CommandMailboxes.Word.allCases
        guard
            let section = reader.section(
                node, "command-mailboxes", keys: [below] + words.map(\.rawValue))
        else { return nil }
        var settings = CommandMailboxes(below: "Opus")
        if let name = name(below, section, &reader) { settings.below = name }
        for word in words { settings.names[word] = name(word.rawValue, section, &reader) }
        let names = settings.entries(people: []).map { $0.name.lowercased() }
        if Set(names).count < names.count {
            reader.report("C007", at: node, "two orders of 'command-mailboxes' have the same name")
        }
        return settings
    }

    static func people(_ node: YAMLNode, _ reader: inout ConfigReader) -> [Person] {
        guard let pairs = node.mapping else {
            reader.report(
                "C006", at: node, "people is \(node.kindName), not a mapping; write Bob: bob@example.org")
            return []
        }
        var seen: Set<String> = []
        return pairs.compactMap { key, value in
            guard let name = key.scalar else {
                reader.report("C006", at: key, "a key of people is \(key.kindName), not text")
                return nil
            }
            guard let name = check(name, key, &reader), let address = reader.address(value) else {
                return nil
            }
            guard seen.insert(name.lowercased()).inserted else {
                reader.report("C007", at: key, "'\(name)' is in people twice")
                return nil
            }
            return Person(name: name, address: address)
        }
    }

    private static func name(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> String? {
        guard let text = reader.text(key, in: section), let node = section.node(key) else { return nil }
        return check(text, node, &reader)
    }

    /// A name that every server accepts as one level: without separators and wildcards.
    static func check(_ name: String, _ node: YAMLNode, _ reader: inout ConfigReader) -> String? {
        let isSound =
            !name.isEmpty && name.utf8.count <= 64 && name.first != " " && name.last != " "
            && !name.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || "/.\\%*\"".unicodeScalars.contains($0)
            }
        guard isSound else {
            reader.report(
                "C007", at: node, "'\(name)' cannot be the name of a mailbox here",
                suggestion: "up to 64 bytes without / . \\ % * and quotes")
            return nil
        }
        return name
    }
}
