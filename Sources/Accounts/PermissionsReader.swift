import Models
import YAMLSource

/// `allow: read | organise | send | full`, or a list: `allow: [mark, move]`.
enum PermissionsReader {
    /// If the value is invalid, nothing is allowed.
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> Permissions {
        guard let items = node.sequence else {
            if let level = node.scalar.flatMap(Permissions.Level.init(rawValue:)) {
                return Permissions(level)
            }
            refuse(node, Permissions.Level.allCases.map(\.rawValue) + ["[mark, move]"], &reader)
            return Permissions(.read)
        }
        var listed: [Permission] = []
        for item in items {
            switch item.scalar {
            case "read": continue
            case let text? where Permission(rawValue: text) != nil:
                if let permission = Permission(rawValue: text) { listed.append(permission) }
            case _: refuse(item, ["read"] + Permission.allCases.map(\.rawValue), &reader)
            }
        }
        return listed.isEmpty ? Permissions(.read) : Permissions(listed)
    }

    private static func refuse(_ node: YAMLNode, _ words: [String], _ reader: inout ConfigReader) {
        let near = node.scalar.flatMap { nearest(to: $0, among: words) }
        reader.report(
            "C007", at: node, "'allow' must be one of: \(words.joined(separator: ", "))",
            suggestion: near.map { "did you mean '\($0)'?" })
    }
}
