// The conditions of a search that the store can check: words, and facts that have a column.

public import Models

/// Words that a message must contain, in this order.
public struct SearchTerm: Hashable, Sendable {
    public enum Field: String, Hashable, CaseIterable, Sendable {
        case subject
        /// Names and addresses of every address field.
        case address
        case text
        /// The names of the attachments.
        case fileName
        /// The text of the attachments, if it was extracted.
        case fileText
        /// Subject, addresses and text, including the text of attachments.
        case any
    }

    public enum Match: Hashable, Sendable {
        /// Consecutive whole words; the last one may be only the beginning of a word.
        case words
        /// Any part of the text, also inside words.
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
    /// The message has the flag in one of its mailboxes, or lacks it in one.
    case flag(Flag, Bool)
    case hasFiles
    /// The `Message-ID`, case-sensitive.
    case messageID(String)
    /// The beginning of the id that opus shows.
    case id(String)
    case size(atLeast: Int?, atMost: Int?)

    /// Whether few messages match, and an index finds them.
    var isRare: Bool {
        switch self {
        case .messageID, .id: true
        case .flag, .hasFiles, .size: false
        }
    }
}

/// A condition that every wanted message meets. Others may meet it too, so each message found is a candidate.
public indirect enum SearchCondition: Hashable, Sendable {
    case everything
    case all([SearchCondition])
    case any([SearchCondition])
    case words(SearchTerm)
    case fact(SearchFact)
}

extension SearchCondition {
    /// Joins the expressions that `leaf` returns for the leaves. Every message that meets the condition meets the result;
    /// nil: the result would not exclude any message.
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
