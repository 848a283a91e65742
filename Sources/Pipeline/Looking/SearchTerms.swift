import MailStore
import Rules

extension SearchTerm.Field {
    init(_ field: Query.TermField) {
        switch field {
        case .subject: self = .subject
        case .address: self = .address
        case .text: self = .text
        case .any: self = .any
        }
    }
}
