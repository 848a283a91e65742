import YAMLSource

/// Reads and changes single values in the text of `opus.yaml`. Everything else stays byte for byte.
///
/// The trap: users write YAML in many forms. So the new text is parsed again, and a change is accepted only
/// if it has the new value and all other values are unchanged.
public struct ConfigText: Sendable {
    public let text: String
    let root: YAMLNode

    /// nil: the text is not YAML, or empty.
    public init?(_ text: String) {
        guard let root = YAMLDocument.read(file: "opus.yaml", text: text).document?.root else { return nil }
        self.text = text
        self.root = root
    }

    /// The names of its accounts.
    public var accounts: [String] { root["accounts"]?.sequence?.compactMap { $0["name"]?.scalar } ?? [] }

    /// A value in the file, as one line of YAML, with its line number. A password in the file is an error, and not shown.
    public func value(at path: ConfigPath) -> (text: String, line: Int)? {
        guard let node = root.value(at: path), !node.isEmpty else { return nil }
        let isSecret = path.steps.last.map { SecretRedaction.keys.contains($0.lowercased()) } ?? false
        return (isSecret ? SecretRedaction.mark : node.shown, node.line)
    }

    /// All single values with their paths, in the order of the file; a list counts as one value.
    public var values: [(path: ConfigPath, text: String, line: Int)] {
        var found: [(path: ConfigPath, text: String, line: Int)] = []
        var waiting: [(path: [String], node: YAMLNode)] = [([], root)]
        while let (path, node) = waiting.popLast() {
            if let pairs = node.mapping {
                for pair in pairs.reversed() {
                    if let key = pair.key.scalar { waiting.append((path + [key], pair.value)) }
                }
            } else if let items = node.sequence, path == ["accounts"] {
                for item in items.reversed() {
                    waiting.append((path + [item["name"]?.scalar ?? "?"], item))
                }
            } else if !node.isEmpty {
                found.append((ConfigPath(path), node.flow, node.line))
            }
        }
        return found
    }

    // MARK: Changes

    public enum Refusal: Error, Hashable, Sendable {
        /// The value is written in a form that opus does not edit.
        case severalLines(line: Int)
        /// The value cannot be written on one line.
        case unwritable
    }

    /// The text with a new value at the path. A value that begins with `[` or `{` is YAML; other values are
    /// strings.
    public func setting(_ path: ConfigPath, to value: String) throws(Refusal) -> String {
        guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .unwritable
        }
        let isFlow = value.first == "[" || value.first == "{"
        for spelled in isFlow ? [value] : Self.spellings(value) {
            guard let wanted = YAMLDocument.read(file: "", text: "v: " + spelled).document?.root?["v"],
                isFlow || wanted.scalar == value
            else { continue }
            for new in candidates(path, spelled) {
                guard let other = ConfigText(new), other.root.value(at: path)?.flow == wanted.flow,
                    Self.others(other.values, besides: path) == Self.others(values, besides: path)
                else { continue }
                return new
            }
        }
        throw .severalLines(line: root.value(at: path)?.line ?? nearestLine(of: path))
    }

    private static func spellings(_ value: String) -> [String] {
        let isPlain =
            value.first.map { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "+" } == true
            && value.allSatisfy { $0.isLetter || $0.isNumber || "/._-+@ :".contains($0) }
            && !value.contains(": ") && value.last != ":" && value.last != " "
        return (isPlain ? [value] : []) + [YAMLEditor.quoted(value)]
    }

    /// The text without one entry of a mapping, and without the mapping if it becomes empty; nil: the entry
    /// is not exactly one line of the text.
    public func removing(_ path: ConfigPath) -> String? {
        guard let node = root.value(at: path) else { return nil }
        var removed = [node.line]
        if let parent = root.value(at: ConfigPath(Array(path.steps.dropLast()))), parent.mapping?.count == 1,
            let key = root.mapping?.first(where: { $0.key.scalar == path.steps.first })?.key
        {
            removed.append(key.line)
        }
        let new = YAMLChanges(text).removing(lines: removed)
        guard let other = ConfigText(new), other.root.value(at: path) == nil,
            Self.others(other.values, besides: path) == Self.others(values, besides: path)
        else { return rewriting(path) }
        return new
    }

    /// The same for a mapping in braces on one line.
    private func rewriting(_ path: ConfigPath) -> String? {
        let parent = ConfigPath(Array(path.steps.dropLast()))
        guard let pairs = root.value(at: parent)?.mapping else { return nil }
        var entries: [String] = []
        for pair in pairs where pair.key.scalar != path.steps.last {
            guard let key = pair.key.scalar, let value = pair.value.scalar else { return nil }
            entries.append("\(Self.key(key)): \(YAMLEditor.quoted(value))")
        }
        return try? setting(parent, to: "{ " + entries.joined(separator: ", ") + " }")
    }

    private static func others(
        _ values: [(path: ConfigPath, text: String, line: Int)], besides path: ConfigPath
    ) -> [String] {
        values.filter { !$0.path.steps.starts(with: path.steps) }.map { "\($0.path) = \($0.text)" }
    }

    private func nearestLine(of path: ConfigPath) -> Int {
        for count in stride(from: path.steps.count - 1, through: 1, by: -1) {
            if let node = root.value(at: ConfigPath(Array(path.steps.prefix(count)))) { return node.line }
        }
        return 1
    }

    /// The possible new texts, the most natural one first.
    private func candidates(_ path: ConfigPath, _ value: String) -> [String] {
        if let node = root.value(at: path) { return YAMLChanges(text).replacing(node, value) }
        for count in stride(from: path.steps.count - 1, through: 0, by: -1) {
            let parent = ConfigPath(Array(path.steps.prefix(count)))
            guard let node = count == 0 ? root : root.value(at: parent) else { continue }
            let missing = path.steps.dropFirst(count)
            guard let key = missing.first else { return [] }
            // `host` in a missing `imap` is written as `imap: { host: … }`.
            let nested = missing.dropFirst().reversed().reduce(value) { "{ \(Self.key($1)): \($0) }" }
            guard node.mapping != nil else {
                return YAMLChanges(text).replacing(node, "{ \(Self.key(key)): \(nested) }")
            }
            return YAMLChanges(text).adding("\(Self.key(key)): \(nested)", to: node)
        }
        return []
    }

    private static func key(_ name: String) -> String { spellings(name).first ?? name }

    // MARK: Accounts

    /// The text with one more account. `entry` writes it with the given indentation, without a line break at
    /// the end.
    public func addingAccount(_ entry: (Int) -> String) -> String {
        YAMLChanges(text).appending(entry, toList: "accounts")
    }

    /// The text without the account at that line; nil: it is not a separate list entry.
    public func removingAccount(at line: Int) -> String? {
        YAMLChanges(text).removingItem(at: line, ofList: "accounts")
    }
}

extension YAMLNode {
    /// The node on one line, to be compared.
    fileprivate var flow: String { flow(depth: 0) }

    /// The same for users, without passwords.
    fileprivate var shown: String { flow(depth: 0, hidesSecrets: true) }

    private func flow(depth: Int, hidesSecrets: Bool = false) -> String {
        guard depth < YAMLDocument.maximumDepth else { return "…" }
        switch kind {
        case .scalar(let text, _):
            let needsQuotes =
                depth > 0 && text.contains { "[]{},:#'\"".contains($0) } || (depth > 0 && text.isEmpty)
            return needsQuotes ? YAMLEditor.quoted(text) : text
        case .sequence(let items):
            return "["
                + items.map { $0.flow(depth: depth + 1, hidesSecrets: hidesSecrets) }.joined(separator: ", ")
                + "]"
        case .mapping(let pairs):
            let inner = pairs.map { pair in
                let isSecret =
                    hidesSecrets && SecretRedaction.keys.contains(pair.key.scalar?.lowercased() ?? "")
                let value =
                    isSecret
                    ? SecretRedaction.mark : pair.value.flow(depth: depth + 1, hidesSecrets: hidesSecrets)
                return "\(pair.key.flow(depth: depth + 1)): \(value)"
            }
            return inner.isEmpty ? "{}" : "{ " + inner.joined(separator: ", ") + " }"
        }
    }
}
