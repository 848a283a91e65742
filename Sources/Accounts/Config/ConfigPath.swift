import Models
import YAMLSource

/// A path in `opus.yaml` as the user types it: `me.name`, `accounts.work.imap.host`.
public struct ConfigPath: Hashable, Sendable, CustomStringConvertible {
    public let steps: [String]

    public var description: String { steps.joined(separator: ".") }

    init(_ steps: [String]) { self.steps = steps }

    /// The path of an existing entry.
    public init(entry steps: [String]) { self.init(steps) }

    /// A path that does not match any key: the wrong part, and the possible values.
    public struct Unknown: Error, Hashable, Sendable {
        public let part: String
        public let title: String
        public let known: [String]

        /// The known key with the most similar spelling.
        public var near: String? { nearest(to: part, among: known) }
    }

    /// The path, and the kind of value at it.
    ///
    /// The names of accounts, bundles and people may contain dots: the longest matching name in `names`
    /// counts.
    public static func parse(
        _ text: String, accounts names: [String]
    ) throws(Unknown) -> (path: ConfigPath, shape: ConfigKey.Shape, key: ConfigKey?) {
        var rest = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var steps: [String] = []
        var shape = ConfigKey.Shape.section(ConfigTable.keys)
        var key: ConfigKey?
        while let part = rest.first {
            let title = steps.isEmpty ? "opus.yaml" : steps.joined(separator: ".")
            if case .listed(let keys) = shape {
                let name = names.filter { rest.starts(with: $0.split(separator: ".").map(String.init)) }
                    .max { $0.count < $1.count }
                guard let name else { throw Unknown(part: part, title: title, known: names) }
                rest.removeFirst(name.split(separator: ".").count)
                steps.append(name)
                shape = .section(keys)
                key = nil
            } else if let found = shape.keys.first(where: { $0.name == part }) {
                rest.removeFirst()
                steps.append(part)
                (shape, key) = (found.shape, found)
            } else if let named = shape.named, !part.isEmpty {
                rest.removeFirst()
                steps.append(part)
                (shape, key) = (named, nil)
            } else {
                throw Unknown(part: part, title: title, known: shape.keys.map(\.name))
            }
        }
        return (ConfigPath(steps), shape, key)
    }
}

extension YAMLNode {
    /// The value at a path; nil: it is not in the file.
    func value(at path: ConfigPath) -> YAMLNode? {
        var node = self
        for step in path.steps {
            if let items = node.sequence {
                guard let item = items.first(where: { $0["name"]?.scalar == step }) else { return nil }
                node = item
            } else {
                guard let value = node[step] else { return nil }
                node = value
            }
        }
        return node
    }
}
