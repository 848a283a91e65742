/// Gmail: one heap of messages with labels; what IMAP calls a mailbox is a search of it.
///
/// Every change is made to the labels, then ``MailModel/project(dates:flags:)`` brings the mailboxes after them.
/// What it does is what people describe of it: `docs/Quirks.md` and Google's own page on X-GM-EXT-1.
extension MailModel {
    /// What puts a message into that mailbox.
    enum View: Equatable {
        case label(String)
        case all
        case starred
        case shelf(Shelf)
    }

    func view(_ box: Int) -> View {
        let mailbox = mailboxes[box]
        let known: [(String, View)] = [
            ("\\All", .all), ("\\Flagged", .starred), ("\\Trash", .shelf(.trash)), ("\\Junk", .shelf(.junk)),
            ("\\Sent", .label("\\Sent")), ("\\Drafts", .label("\\Draft")),
            ("\\Important", .label("\\Important")),
        ]
        if mailbox.name == "INBOX" { return .label("\\Inbox") }
        return known.first { mailbox.attributes.contains($0.0) }?.1 ?? .label(mailbox.name)
    }

    /// Labels as FETCH shows them in that mailbox: its own is left out, as Gmail does.
    func labels(of content: Int, seenIn box: Int) -> [String] {
        var labels = contents[content].labels
        if case .label(let own) = view(box) { labels.remove(own) }
        return labels.sorted()
    }

    /// X-GM-LABELS is changed.
    public mutating func changeLabels(
        _ uids: [UInt32], in name: String, add: Set<String> = [], remove: Set<String> = []
    ) {
        guard let box = index(of: name) else { return }
        for uid in uids {
            guard let message = mailboxes[box].message(uid) else { continue }
            contents[message.content].labels.subtract(remove)
            contents[message.content].labels.formUnion(add)
            touchEverywhere(message.content)
        }
        for label in add where !label.hasPrefix("\\") { create(label) }
        project()
    }

    private mutating func touchEverywhere(_ content: Int) {
        for box in mailboxes.indices {
            if let at = mailboxes[box].messages.firstIndex(where: { $0.content == content }) {
                mailboxes[box].touch(at) { _ in }
            }
        }
    }

    mutating func addToView(_ box: Int, content: Int) {
        switch view(box) {
        case .label(let label):
            contents[content].labels.insert(label)
            contents[content].shelf = .normal
        case .all: contents[content].shelf = .normal
        case .starred: break
        case .shelf(let shelf):
            contents[content].shelf = shelf
            contents[content].labels = []
        }
    }

    /// `into`: where it goes instead; nil for EXPUNGE.
    mutating func removeFromView(_ box: Int, content: Int, into destination: Int?) {
        switch view(box) {
        case .label(let label): contents[content].labels.remove(label)
        case .all, .starred: break
        case .shelf(let shelf):
            guard destination == nil, contents[content].shelf == shelf else { return }
            // Gone for good: no view will show it.
            for other in mailboxes.indices {
                mailboxes[other].remove(
                    mailboxes[other].messages.filter { $0.content == content }.map(\.uid))
            }
            contents[content].shelf = .normal
            contents[content].labels = []
            destroyed.insert(content)
        }
    }

    /// Brings every mailbox after the labels. `dates` and `flags` are those of messages that stand nowhere yet.
    mutating func project(dates: [Int: Int64] = [:], flags: [Int: Set<String>] = [:]) {
        var known: [Int: (flags: Set<String>, date: Int64)] = [:]
        for message in mailboxes.flatMap(\.messages) {
            known[message.content] = (message.flags, message.internalDate)
        }
        for box in mailboxes.indices where mailboxes[box].isSelectable {
            let view = view(box)
            let held = Set(mailboxes[box].messages.map(\.content))
            for content in contents.indices where !destroyed.contains(content) {
                let marks = known[content]?.flags ?? flags[content] ?? []
                guard shows(view, content, flags: marks), !held.contains(content) else { continue }
                place(
                    content, in: box, flags: marks, date: known[content]?.date ?? dates[content] ?? clock.now)
            }
            let gone = mailboxes[box].messages.filter { !shows(view, $0.content, flags: $0.flags) }
            mailboxes[box].remove(gone.map(\.uid))
        }
    }

    private func shows(_ view: View, _ content: Int, flags: Set<String>) -> Bool {
        let content = contents[content]
        return switch view {
        case .label(let label): content.shelf == .normal && content.labels.contains(label)
        case .all: content.shelf == .normal
        case .starred: content.shelf == .normal && flags.contains("\\Flagged")
        case .shelf(let shelf): content.shelf == shelf
        }
    }
}
