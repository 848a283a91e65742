import MailStore
import Rules

/// Converts the lookup of a query to a condition of the store.
extension SearchCondition {
    init(_ lookup: Query.Lookup) {
        switch lookup {
        case .everything: self = .everything
        case .all(let children): self = .all(children.map { SearchCondition($0) })
        case .any(let children): self = .any(children.map { SearchCondition($0) })
        case .words(let field, let match, let text):
            self = .words(SearchTerm(SearchTerm.Field(field), text, SearchTerm.Match(match)))
        case .fact(let fact): self = .fact(SearchFact(fact))
        }
    }
}

extension SearchTerm.Field {
    init(_ field: Query.WordField) {
        switch field {
        case .subject: self = .subject
        case .address: self = .address
        case .text: self = .text
        case .fileName: self = .fileName
        case .fileText: self = .fileText
        case .any: self = .any
        }
    }
}

extension SearchTerm.Match {
    init(_ match: Query.WordMatch) {
        switch match {
        case .words: self = .words
        case .part: self = .part
        }
    }
}

extension SearchFact {
    fileprivate init(_ fact: Query.Fact) {
        switch fact {
        case .flag(let flag, let isSet): self = .flag(flag, isSet)
        case .hasFiles: self = .hasFiles
        case .messageID(let id): self = .messageID(id)
        case .id(let prefix): self = .id(prefix)
        case .size(let least, let most): self = .size(atLeast: least, atMost: most)
        }
    }
}
