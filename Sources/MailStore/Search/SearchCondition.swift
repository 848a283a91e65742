// What a search asks of the store: words, and facts that are columns.

public import Models

/// Words that a message must have, in this order.
public struct SearchTerm: Hashable, Sendable {
    public enum Field: String, Hashable, CaseIterable, Sendable {
        case subject
        /// Names and addresses of every address field.
        case address
        case text
        /// The names of the attachments.
        case fileName
        /// The text of the attachments, as far as it was read.
        case fileText
        /// Subject, addresses and text, also that of attachments.
        case any
    }

    public enum Match: Hashable, Sendable {
        /// The first word begins as a word of the message does; the last may be the beginning of a longer one.
        case words
        /// Anywhere, also inside words.
        case part
    }

    public var field: Field
    public var text: String
    public var match: Match

    public init(_ field: Field, _ text: String, _ match: Match = .words) {
        self.field = field
        self.text = text
        self.match = match
    }
}

/// A fact about a message that the store can look up without reading it.
public enum SearchFact: Hashable, Sendable {
    /// One of its places has the flag, or one does not.
    case flag(Flag, Bool)
    case hasFiles
    /// `Message-ID`, in this case.
    case messageID(String)
    /// The beginning of its own id.
    case id(String)
    case size(atLeast: Int?, atMost: Int?)

    /// Few messages have it, and an index finds them.
    var isRare: Bool {
        switch self {
        case .messageID, .id: true
        case .flag, .hasFiles, .size: false
        }
    }
}

/// What every message that is searched for has, as far as the store can tell: it finds all of them, and some others.
public indirect enum SearchCondition: Hashable, Sendable {
    case everything
    case all([SearchCondition])
    case any([SearchCondition])
    case words(SearchTerm)
    case fact(SearchFact)
}

/// Part of a condition as an expression; nil: it says nothing about the messages.
extension SearchCondition {
    /// Joins what `leaf` makes of the leaves. A message that has the condition has the result.
    func expression(_ leaf: (SearchCondition) throws -> String?) rethrows -> String? {
        switch self {
        case .everything: return nil
        case .words, .fact: return try leaf(self)
        case .all(let children):
            let parts = try children.compactMap { try $0.expression(leaf) }
            guard parts.count > 1 else { return parts.first }
            return "(" + parts.joined(separator: " AND ") + ")"
        case .any(let children):
            let parts = try children.map { try $0.expression(leaf) }
            let known = parts.compactMap(\.self)
            guard known.count == parts.count, !known.isEmpty else { return nil }
            return known.count == 1 ? known[0] : "(" + known.joined(separator: " OR ") + ")"
        }
    }
}
