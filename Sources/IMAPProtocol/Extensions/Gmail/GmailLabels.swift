/// Gmail labels to add or to remove, byte for byte as in a FETCH. X-GM-EXT-1,
/// <https://developers.google.com/workspace/gmail/imap/imap-extensions>.
public struct LabelChange: Hashable, Sendable {
    public var operation: FlagChange.Operation
    /// `\Inbox`, or the modified UTF-7 of a mailbox name.
    public var labels: [[UInt8]]

    public init(_ operation: FlagChange.Operation, _ labels: [[UInt8]]) {
        self.operation = operation
        self.labels = labels
    }

    public static func add(_ labels: [[UInt8]]) -> LabelChange { LabelChange(.add, labels) }
    public static func remove(_ labels: [[UInt8]]) -> LabelChange { LabelChange(.remove, labels) }
}

extension CommandWriter {
    /// A label that begins with a backslash is a system label of Gmail. In quotes it would become a new label.
    mutating func write(_ change: LabelChange) throws(EncodingError) {
        words("\(change.operation.sign)X-GM-LABELS (")
        for (index, label) in change.labels.enumerated() {
            guard !label.isEmpty else { throw .invalidFlag("") }
            if label.first == .backslash, label.count > 1, label.dropFirst().allSatisfy(\.isLetter) {
                close((index == 0 ? "" : " ") + String(decoding: label, as: UTF8.self))
            } else {
                try quoted(label, first: index == 0)
            }
        }
        close(")")
    }
}

extension Cursor {
    /// Labels are names of mailboxes: words, strings in quotes or literals, with any octet in them.
    mutating func fetchedLabels() throws(ParseFailure) -> [[UInt8]] {
        let tree = try valueTree()
        if tree.nodes[0].kind == .null { return [] }
        return tree.children(of: 0).compactMap { child in
            switch tree.nodes[child].kind {
            case .atom, .string: Array(tree.bytes(child))
            case .list: nil
            case .null: Array("NIL".utf8)
            }
        }
    }
}
