/// Flags to add or to remove. It never replaces all flags, because that would undo changes of other clients.
public struct FlagChange: Hashable, Sendable {
    public enum Operation: Hashable, Sendable {
        case add
        case remove
    }

    public var operation: Operation
    /// `\Seen`, `$Forwarded`
    public var flags: [String]
    /// Skips messages whose MODSEQ is greater; the server lists them in `[MODIFIED]`. Requires CONDSTORE. RFC 7162
    /// §3.1.3.
    public var unchangedSince: UInt64?

    public init(_ operation: Operation, _ flags: [String], unchangedSince: UInt64? = nil) {
        self.operation = operation
        self.flags = flags
        self.unchangedSince = unchangedSince
    }

    public static func add(_ flags: [String]) -> FlagChange { FlagChange(.add, flags) }
    public static func remove(_ flags: [String]) -> FlagChange { FlagChange(.remove, flags) }
}

extension FlagChange.Operation {
    var sign: String {
        switch self {
        case .add: "+"
        case .remove: "-"
        }
    }
}

extension CommandWriter {
    mutating func write(_ change: FlagChange) throws(EncodingError) {
        if let modSeq = change.unchangedSince { words("(UNCHANGEDSINCE \(modSeq))") }
        words("\(change.operation.sign)FLAGS (\(try flagWords(change.flags)))")
    }

    /// Flags as they travel; anything that is not an atom could smuggle in another command.
    func flagWords(_ flags: [String]) throws(EncodingError) -> String {
        for flag in flags {
            let atom = flag.utf8.first == .backslash ? flag.utf8.dropFirst() : flag.utf8[...]
            guard !atom.isEmpty, atom.count <= 255,
                atom.allSatisfy({ $0.isAtomCharacter && $0 != .closeBracket })
            else { throw .invalidFlag(flag) }
        }
        return flags.joined(separator: " ")
    }
}
