import IMAPClient
import IMAPProtocol
import Models

/// Gmail stores each message once, and its mailboxes are labels.
///
/// Archiving removes a label. opus never marks a message `\Deleted`: Gmail may remove such messages at once.
/// The trap: X-GM-LABELS does not include the label of the open mailbox, so inside that mailbox no answer
/// shows whether the label is still set. In All Mail it does; opus finds the message there by its X-GM-MSGID.
/// Labels are sets, so every change here may be repeated. X-GM-EXT-1; docs/Quirks.md.
extension IMAPMailSink {
    /// Whether the server is Gmail and supports changes of labels.
    var isGmail: Bool {
        get async {
            guard await client.profile.kind == .gmail else { return false }
            return await client.capabilities.contains(.gmail)
        }
    }

    // MARK: Marks

    /// Keywords are stored as Gmail labels, except those with a dollar sign, which are registered for IMAP
    /// (RFC 5788). The labels that are read back afterwards are the proof.
    func storeOnGmail(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        let uids = UIDSet(targets.map(\.uid))
        let (add, remove) = (GmailMarks(change.addKeywords), GmailMarks(change.removeKeywords))
        _ = try await store(
            uids, add: FlagAtoms.atoms(change.addFlags, add.keywords),
            remove: FlagAtoms.atoms(change.removeFlags, remove.keywords))
        try await translating { () async throws(IMAPClientError) in
            for labels in [LabelChange.add(add.labels), .remove(remove.labels)] where !labels.labels.isEmpty {
                _ = try await client.messages.storeLabels(uids, labels)
            }
        }
        var items = FetchItems.flags
        items.gmailLabels = true
        var shown: [UInt32: Sighting] = [:]
        for message in try await fetch(targets.map(\.uid), items)
        where message.missing.isDisjoint(with: [.flags, .labels]) {
            let own = change.addKeywords.filter { GmailMarks.label($0) == mailbox.bytes }
            shown[message.uid] = Sighting(
                flags: FlagAtoms.flags(message.flags), keywords: keywords(of: message).union(own))
        }
        return shown
    }

    /// Also works on other servers: a server without labels reports none.
    nonisolated func keywords(of message: FetchedMessage) -> Set<Keyword> {
        FlagAtoms.keywords(message.flags + (message.labels ?? []).map(ModifiedUTF7.displayName))
    }

    // MARK: Moves

    private var labels: GmailLabels { GmailLabels(client: client) }

    /// A move by a change of labels; nil if it needs UID MOVE: to and from the trash, between labels.
    func moveByLabel(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace]? {
        let views = try await knownViews()
        switch (views.view(of: mailbox), views.view(of: destination.name)) {
        case (.label(let label), .allMail):
            return try await takeOff(label, targets, in: mailbox, allMail: destination.name)
        case (.allMail, .label(let label)):
            return try await putOn(label, targets, allMail: mailbox, destination.name)
        case (.label, .label), (.label, .other), (.allMail, .allMail), (.allMail, .other), (.other, _):
            return nil
        }
    }

    func knownViews() async throws(SinkError) -> GmailViews {
        if let gmailViews { return gmailViews }
        let views = GmailViews(
            try await translating { () async throws(IMAPClientError) in try await client.mailboxes.list() })
        gmailViews = views
        return views
    }

    private func takeOff(
        _ label: [UInt8], _ targets: [Target], in mailbox: MailboxName, allMail: MailboxName
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        try await select(mailbox)
        _ = try await labels.store(targets.map(\.uid), .remove([label]))
        var items = FetchItems()
        items.gmailIDs = true
        let still = try await fetch(targets.map(\.uid), items)
        var places: [UInt32: NewPlace] = [:]
        for target in targets where !still.contains(where: { $0.uid == target.uid }) {
            places[target.uid] = NewPlace(
                evidence: "the label was removed, and the message is no longer here")
        }
        guard !still.isEmpty else { return places }
        let uidValidity = try await select(allMail)
        for message in still {
            guard let id = message.gmailID, let uid = try await labels.search(id) else { continue }
            let shown = try await labels.store([uid], .remove([label]))
            guard let labels = shown[uid], !labels.contains(label) else { continue }
            places[message.uid] = NewPlace(
                uidValidity: uidValidity, uid: uid, evidence: "All Mail shows it without the label")
        }
        return places
    }

    private func putOn(
        _ label: [UInt8], _ targets: [Target], allMail: MailboxName, _ destination: MailboxName
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        let before = try await numbers(of: destination)
        try await select(allMail)
        let shown = try await labels.store(targets.map(\.uid), .add([label]))
        let done = targets.map(\.uid).filter { shown[$0]?.contains(label) == true }
        guard !done.isEmpty else { return [:] }
        var places = Dictionary(
            uniqueKeysWithValues: done.map { ($0, NewPlace(evidence: "All Mail shows it with the label")) })
        do throws(SinkError) {
            var items = FetchItems()
            items.gmailIDs = true
            let named = try await fetch(done, items)
            current = nil
            let uidValidity = try await select(destination)
            let uids = try await labels.locate(
                Set(named.compactMap(\.gmailID)), from: before?.uidNext, to: current?.uidNext)
            for message in named {
                guard let id = message.gmailID, let uid = uids[id] else { continue }
                places[message.uid] = NewPlace(
                    uidValidity: uidValidity, uid: uid, evidence: "All Mail shows it with the label")
            }
        } catch {
            // The labels are set; the next sync finds the places.
            if case .lost = error { throw error }
        }
        return places
    }
}

/// Keywords, divided into those that Gmail stores as labels and those that it stores as IMAP keywords.
private struct GmailMarks {
    let labels: [[UInt8]]
    let keywords: Set<Keyword>

    init(_ words: Set<Keyword>) {
        keywords = words.filter { $0.rawValue.hasPrefix("$") }
        labels = words.subtracting(keywords).sorted().map(Self.label)
    }

    static func label(_ keyword: Keyword) -> [UInt8] { ModifiedUTF7.encode(keyword.rawValue) }
}

/// What each of Gmail's mailboxes contains.
struct GmailViews: Sendable {
    enum View: Equatable {
        /// Messages with that label, as the bytes that the server sent.
        case label([UInt8])
        /// All messages except trash and spam.
        case allMail
        /// Trash, spam, starred, sent and other mailboxes of Gmail itself.
        case other
    }

    private var ownViews: [[UInt8]: View] = [:]

    /// Uses the attributes that the server reports, not the names of mailboxes: names are in the user's
    /// language, and a label of the user may be called "Archive".
    init(_ listings: [MailboxListing]) {
        for listing in listings {
            for attribute in listing.attributes {
                if SpecialUse(attribute: attribute) == .all {
                    ownViews[listing.name] = .allMail
                } else if SpecialUse(attribute: attribute) != nil || attribute.uppercased() == "\\IMPORTANT" {
                    ownViews[listing.name] = .other
                }
            }
        }
    }

    /// Whether a move is a change of labels. Other moves are a UID MOVE: to and from the trash, between
    /// labels.
    func isByLabel(from mailbox: MailboxName, to destination: MailboxName) -> Bool {
        switch (view(of: mailbox), view(of: destination)) {
        case (.label, .allMail), (.allMail, .label): true
        case (.label, .label), (.label, .other), (.allMail, .allMail), (.allMail, .other), (.other, _): false
        }
    }

    func view(of mailbox: MailboxName) -> View {
        if mailbox.description.uppercased() == "INBOX" { return .label(Array("\\Inbox".utf8)) }
        return ownViews[mailbox.bytes] ?? .label(mailbox.bytes)
    }
}
