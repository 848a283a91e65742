import MailStore
import Models
import Rules

/// Mail of one sender or list.
enum MailKind: Hashable {
    case list(String)
    case sender(String)

    init?(_ facts: MessageFacts) {
        if let list = facts.listID?.lowercased(), Self.isPlain(list) {
            self = .list(list)
        } else if let sender = facts.from.first?.comparable, sender.contains("@"), Self.isPlain(sender) {
            self = .sender(sender)
        } else {
            return nil
        }
    }

    /// Whether the text needs no quotes in a query.
    private static func isPlain(_ text: String) -> Bool {
        (3...200).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                        || "@._-+'".unicodeScalars.contains($0))
            }
    }

    var words: String {
        switch self {
        case .list(let name): "the list \(name)"
        case .sender(let address): address
        }
    }

    var query: String {
        switch self {
        case .list(let name): "list-id:\(name)"
        case .sender(let address): "from:\(address)"
        }
    }
}

extension FactLoader {
    /// The kinds of these messages. Of the header, only the list id is read.
    func kinds(of facts: [MessageFacts]) throws -> [EmailID: MailKind] {
        var kinds: [EmailID: MailKind] = [:]
        for start in stride(from: 0, to: facts.count, by: Self.chunk) {
            let slice = facts[start..<min(start + Self.chunk, facts.count)]
            let headers = try contents(slice.map(\.id), .headers, headerNames: ["list-id"])
            for var facts in slice {
                if let header = headers[facts.id] { facts.take(header) }
                kinds[facts.id] = MailKind(facts)
            }
        }
        return kinds
    }
}
