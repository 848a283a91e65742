import IMAPProtocol
import Models

/// Converts flags, keywords and Gmail labels of many messages.
///
/// There are few combinations, repeated very often. Equal ones share their memory; otherwise a listing of
/// 100,000 messages would need as many sets.
struct MarkReader {
    struct Marks {
        var flags: Set<Flag>
        var keywords: Set<Keyword>
    }

    private struct Key: Hashable {
        var atoms: [String]
        var labels: [[UInt8]]?
    }

    /// A sender may cause a new combination for each message.
    private static let maximumKnown = 4_096
    private var known: [Key: Marks] = [:]

    /// A label becomes a keyword of the message, under the name that users see. A system label (`\Inbox`,
    /// `\Starred`) is ignored, because a mailbox or a flag has the same meaning. X-GM-EXT-1.
    mutating func marks(_ atoms: [String], labels: [[UInt8]]? = nil) -> Marks {
        let key = Key(atoms: atoms, labels: labels)
        if let marks = known[key] { return marks }
        var marks = Marks(flags: FlagAtoms.flags(atoms), keywords: FlagAtoms.keywords(atoms))
        for label in labels ?? [] where !label.isEmpty && label.first != UInt8(ascii: "\\") {
            marks.keywords.insert(Keyword(ModifiedUTF7.displayName(label)))
        }
        if known.count < Self.maximumKnown { known[key] = marks }
        return marks
    }
}
