import Models
import YAMLSource

/// Reads the mappings of `opus.yaml` key by key, and collects all errors.
struct ConfigReader {
    let document: YAMLDocument
    private(set) var diagnostics: [Diagnostic] = []

    init(_ document: YAMLDocument) { self.document = document }

    /// A mapping with known keys.
    struct Section {
        let node: YAMLNode
        /// A description of its position for users: `imap of account work`.
        let title: String
        fileprivate(set) var values: [String: YAMLNode] = [:]

        func node(_ key: String) -> YAMLNode? { values[key].flatMap { $0.isEmpty ? nil : $0 } }
    }

    mutating func report(
        _ code: String, at node: YAMLNode, _ message: String, suggestion: String? = nil
    ) {
        diagnostics.append(
            document.diagnostic(code: code, at: node, message: message, suggestion: suggestion))
    }

    /// nil, with an error, if the node is not a mapping. Unknown keys are errors; `later` are keys from other
    /// versions of the documentation that have no effect yet.
    mutating func section(
        _ node: YAMLNode, _ title: String, keys: [String], later: [String] = []
    ) -> Section? {
        guard let pairs = node.mapping else {
            report(
                "C006", at: node,
                "\(title) is \(node.kindName), not a mapping; write \(keys.first ?? "key"): …")
            return nil
        }
        var section = Section(node: node, title: title)
        for pair in pairs {
            guard let key = pair.key.scalar else {
                report("C006", at: pair.key, "a key of \(title) is \(pair.key.kindName), not text")
                continue
            }
            if keys.contains(key) {
                section.values[key] = pair.value
            } else if SecretRedaction.keys.contains(key.lowercased()) {
                continue  // R031 reports it.
            } else if later.contains(key) {
                report("C004", at: pair.key, "'\(key)' does not work yet; remove it")
            } else {
                report(
                    "C004", at: pair.key, "unknown key '\(key)' in \(title)",
                    suggestion: nearest(to: key, among: keys).map { "did you mean '\($0)'?" }
                        ?? "known: " + keys.joined(separator: ", "))
            }
        }
        return section
    }

    /// The text under a key; nil if it is missing, with an error if it is required.
    mutating func text(_ key: String, in section: Section, required: Bool = false) -> String? {
        guard let node = section.node(key) else {
            if required { missing(key, in: section) }
            return nil
        }
        guard let text = node.scalar else {
            report("C006", at: node, "'\(key)' is \(node.kindName), not text")
            return nil
        }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else {
            report("C007", at: node, "'\(key)' has control characters or line ends")
            return nil
        }
        return text
    }

    mutating func missing(_ key: String, in section: Section) {
        report("C005", at: section.node, "\(section.title) has no '\(key)'")
    }

    /// One of several keywords.
    mutating func choice<Value>(_ key: String, in section: Section, _ choices: [(String, Value)]) -> Value? {
        guard let text = text(key, in: section), let node = section.node(key) else { return nil }
        if let choice = choices.first(where: { $0.0 == text.lowercased() }) { return choice.1 }
        let words = choices.map(\.0)
        report(
            "C007", at: node, "'\(text)' is not a value of '\(key)'",
            suggestion: nearest(to: text, among: words).map { "did you mean '\($0)'?" }
                ?? "one of: " + words.joined(separator: ", "))
        return nil
    }

    mutating func number(_ key: String, in section: Section, _ range: ClosedRange<Int>) -> Int? {
        guard let text = text(key, in: section), let node = section.node(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            report(
                "C007", at: node,
                "'\(key)' is '\(text)', not a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func list(_ key: String, in section: Section) -> [YAMLNode]? {
        guard let node = section.node(key) else { return nil }
        guard let nodes = node.sequence else {
            report("C006", at: node, "'\(key)' is \(node.kindName), not a list; write \(key): [ … ]")
            return nil
        }
        return nodes
    }

    mutating func address(_ node: YAMLNode) -> EmailAddress? {
        guard let text = node.scalar else {
            report("C006", at: node, "an address is \(node.kindName), not text")
            return nil
        }
        let isSound = text.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value != 0x7F && !"<>(),;:\"".unicodeScalars.contains($0)
        }
        guard isSound, let address = EmailAddress(text), address.domain.contains(where: \.isLetter) else {
            report("C008", at: node, "'\(text)' is not a mail address; write name@example.org")
            return nil
        }
        return address
    }
}
