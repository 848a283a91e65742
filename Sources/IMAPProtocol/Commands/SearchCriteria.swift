/// The messages to search for. RFC 3501 §6.4.4.
public indirect enum SearchCriteria: Hashable, Sendable {
    case all
    /// Messages whose field contains this text. Servers compare substrings without case, so use the full token.
    case header(name: String, value: String)
    case uids(UIDSet)
    case both(SearchCriteria, SearchCriteria)
    case unseen
    case undeleted
    /// Messages received on this day or later, in the server's time zone. Seconds since 1970.
    case since(Int64)
    case before(Int64)
    /// Messages with this MODSEQ or a greater one. Requires CONDSTORE. Yahoo answers BAD. RFC 7162 §3.1.5.
    case modSeq(UInt64)
    /// Requires OBJECTID. RFC 8474 §6.
    case emailID(String)
    /// X-GM-MSGID. Requires X-GM-EXT-1.
    case gmailMessageID(UInt64)
    /// X-GM-RAW. Requires X-GM-EXT-1.
    case gmailRaw(String)
}

extension SearchCriteria {
    /// The criteria without `.both`, in their order.
    fileprivate var terms: [SearchCriteria] {
        var terms: [SearchCriteria] = []
        var pending = [self]
        while let next = pending.popLast() {
            if case .both(let first, let second) = next {
                pending += [second, first]
            } else {
                terms.append(next)
            }
        }
        return terms
    }

    fileprivate var needsUTF8: Bool {
        switch self {
        case .header(_, let value), .gmailRaw(let value): value.utf8.contains { $0 >= 0x80 }
        case .all, .uids, .both, .unseen, .undeleted, .since, .before, .modSeq, .emailID,
            .gmailMessageID:
            false
        }
    }
}

extension CommandWriter {
    mutating func write(_ criteria: SearchCriteria) throws(EncodingError) {
        let terms = criteria.terms
        if !isUTF8, terms.contains(where: \.needsUTF8) { words("CHARSET UTF-8") }
        for term in terms { try write(term: term) }
    }

    private mutating func write(term: SearchCriteria) throws(EncodingError) {
        switch term {
        case .all: words("ALL")
        case .uids(let uids):
            words("UID")
            try write(uids)
        case .header(let field, let value):
            guard SectionRequest.isFieldName(field) else { throw .invalidFieldName(field) }
            words("HEADER \(field)")
            try string(Array(value.utf8))
        case .unseen: words("UNSEEN")
        case .undeleted: words("UNDELETED")
        case .since(let time): words("SINCE \(InternalDate.formatDay(time))")
        case .before(let time): words("BEFORE \(InternalDate.formatDay(time))")
        case .modSeq(let value): words("MODSEQ \(value)")
        case .emailID(let id):
            words("EMAILID")
            try astring(Array(id.utf8))
        case .gmailMessageID(let id): words("X-GM-MSGID \(id)")
        case .gmailRaw(let query):
            words("X-GM-RAW")
            try string(Array(query.utf8))
        case .both: break
        }
    }
}
