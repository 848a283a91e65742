public import Models

/// `command-mailboxes:` of opus.yaml: mailboxes in which a message is an order.
public struct CommandMailboxes: Hashable, Sendable {
    /// The kinds of orders. The raw value is the key in opus.yaml.
    public enum Word: String, Hashable, Sendable, CaseIterable {
        case task
        case tomorrow
        case nextWeek = "next-week"
        case waiting
        case someday
        /// One mailbox for each person of `people:`.
        case delegate
        case notThisSender = "not-this-sender"
        case undo

        var usualName: String {
            switch self {
            case .task: "Task"
            case .tomorrow: "Tomorrow"
            case .nextWeek: "Next week"
            case .waiting: "Waiting"
            case .someday: "Someday"
            case .delegate: "Delegate"
            case .notThisSender: "Not this sender"
            case .undo: "Undo"
            }
        }
    }

    /// An order, and the name of its mailbox below ``below``.
    public struct Entry: Hashable, Sendable {
        public var word: Word
        /// For `delegate`.
        public var person: Person?
        public var name: String
    }

    /// The parent mailbox of all command mailboxes.
    public var below: String
    /// Configured names that replace the default ones.
    public var names: [Word: String]

    public init(below: String, names: [Word: String] = [:]) {
        self.below = below
        self.names = names
    }

    public func entries(people: [Person]) -> [Entry] {
        Word.allCases.flatMap { word -> [Entry] in
            let name = names[word] ?? word.usualName
            guard word == .delegate else { return [Entry(word: word, person: nil, name: name)] }
            return people.map { Entry(word: word, person: $0, name: name + " " + $0.name) }
        }
    }
}

/// An entry of `people:` in opus.yaml: a person to whom mail is delegated.
public struct Person: Hashable, Sendable {
    public var name: String
    public var address: EmailAddress

    public init(name: String, address: EmailAddress) {
        self.name = name
        self.address = address
    }

    /// The address with the name that the user gave the person.
    public var addressee: EmailAddress {
        EmailAddress(displayName: name, localPart: address.localPart, domain: address.domain)
    }
}
