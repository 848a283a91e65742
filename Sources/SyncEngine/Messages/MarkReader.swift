import IMAPProtocol
import Models

/// Flags, keywords and Gmail's labels of many messages, as opus's values.
///
/// Few combinations occur, over and over: equal ones share their memory, or a listing of 100,000 messages would
/// hold as many sets.
struct MarkReader {
    struct Marks {
        var flags: Set<Flag>
        var keywords: Set<Keyword>
    }

    private struct Key: Hashable {
        var atoms: [String]
        var labels: [[UInt8]]?
    }

    /// A stranger may invent a new combination for each message.
    private static let maximumKnown = 4_096
    private var known: [Key: Marks] = [:]

    /// A label is a keyword of the message, under the name that people see. A system label (`\Inbox`, `\Starred`) says
    /// what a mailbox or a flag says already. X-GM-EXT-1.
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
