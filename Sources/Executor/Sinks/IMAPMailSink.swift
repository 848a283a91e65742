import Crypto
public import IMAPClient
import IMAPProtocol
public import Models
import NIOCore

/// An IMAP account as a ``MailSink``.
///
/// A move is UID MOVE, or a copy, `\Deleted` and UID EXPUNGE of exactly those messages. If the server can do
/// neither reliably, opus moves nothing. Flags are added and removed, never replaced as a whole; the flags
/// that the server reports afterwards are the proof. On Gmail, changes are changes of labels:
/// `IMAPMailSink+Gmail.swift`.
public actor IMAPMailSink: MailSink {
    let client: IMAPConnection
    private let submitsToSameProvider: Bool
    var current: SelectedMailbox?
    /// Gmail's mailboxes and their contents; requested once.
    var gmailViews: GmailViews?
    /// Where the user may expunge messages; each mailbox is requested once.
    private var mayExpunge: [MailboxName: Bool] = [:]

    /// `submitsToSameProvider`: the account's `smtp:` server belongs to the provider of its mailbox, so a
    /// server that saves sent mail has received the mail.
    public init(client: IMAPConnection, submitsToSameProvider: Bool = false) {
        self.client = client
        self.submitsToSameProvider = submitsToSameProvider
    }

    public var movesLeaveNoCopies: Bool { get async { await isGmail } }

    public var keepsSentCopies: Bool {
        get async {
            guard submitsToSameProvider else { return false }
            return await client.profile.sentCopy == .server
        }
    }

    public func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32? {
        if let current, current.name == mailbox.bytes { return current.uidValidity }
        do {
            return try await client.mailboxes.status(mailbox.bytes).uidValidity ?? 0
        } catch {
            if error.refusal == .noMailbox { return nil }
            throw SinkError(error)
        }
    }

    /// SELECT reports the same numbers as STATUS, and the check needs SELECT anyway. After a refusal, STATUS
    /// shows what it means.
    public func openForLook(_ mailbox: MailboxName) async throws(SinkError) -> UInt32? {
        do throws(SinkError) {
            return try await select(mailbox)
        } catch {
            if case .lost = error { throw error }
            return try await open(mailbox)
        }
    }

    public func openForLook(
        _ mailbox: MailboxName, before destination: MailboxName
    ) async throws(SinkError) -> MailboxNumbers? {
        guard current?.name != mailbox.bytes, destination != mailbox else { return nil }
        current = nil
        let isLook = !client.permissions.changesMailboxes
        do throws(IMAPClientError) {
            let opened = try await client.mailboxes.select(
                mailbox.bytes, readOnly: isLook, numbersOf: [destination.bytes])
            // The next request reports anything else.
            guard isLook || !opened.mailbox.isReadOnly, opened.mailbox.uidValidity != 0 else { return nil }
            current = opened.mailbox
            return opened.numbers[destination.bytes].map {
                MailboxNumbers(uidValidity: $0.uidValidity ?? 0, uidNext: $0.uidNext)
            }
        } catch {
            if error.refusal != nil { return nil }
            throw SinkError(error)
        }
    }

    public func numbers(of mailbox: MailboxName) async throws(SinkError) -> MailboxNumbers? {
        // STATUS must not be used for the selected mailbox, and SELECT reports the same numbers.
        if let current, current.name == mailbox.bytes { self.current = nil }
        do {
            let status = try await client.mailboxes.status(mailbox.bytes)
            return MailboxNumbers(uidValidity: status.uidValidity ?? 0, uidNext: status.uidNext)
        } catch {
            if error.refusal == .noMailbox { return nil }
            throw SinkError(error)
        }
    }

    public func numbers(
        of mailboxes: [MailboxName]
    ) async throws(SinkError) -> [MailboxName: MailboxNumbers] {
        let closed = mailboxes.filter { $0.bytes != current?.name }
        let found = try await translating { () async throws(IMAPClientError) in
            try await client.mailboxes.statuses(closed.map(\.bytes))
        }
        var numbers: [MailboxName: MailboxNumbers] = [:]
        for mailbox in closed {
            guard let status = found[mailbox.bytes] else { continue }
            numbers[mailbox] = MailboxNumbers(
                uidValidity: status.uidValidity ?? 0, uidNext: status.uidNext)
        }
        return numbers
    }

    // MARK: Marks

    public func look(
        at targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        guard !targets.isEmpty else { return [:] }
        let isGmail = await isGmail
        // Requested now, so that no other command comes between this check and the change that depends on it.
        if isGmail { _ = try await knownViews() }
        try await select(mailbox)
        var items = FetchItems(flags: true, size: true, header: true)
        items.gmailLabels = isGmail
        var found: [UInt32: Sighting] = [:]
        var longer: [UInt32] = []
        for message in try await fetch(targets.map(\.uid), items) {
            found[message.uid] = Sighting(message, keywords(of: message), message.header)
            if message.header == nil, message.omittedSize != nil { longer.append(message.uid) }
        }
        for uid in longer.prefix(LongHeader.most) {
            for message in try await fetch([uid], LongHeader.items(items)) {
                found[uid] = Sighting(message, keywords(of: message), LongHeader.start(of: message.body))
            }
        }
        // Some servers answer OK without the data of a message that they have. docs/Quirks.md.
        let silent = targets.map(\.uid).filter { found[$0] == nil }
        for uid in silent.isEmpty ? [] : try await search(.uids(UIDSet(silent))) { found[uid] = .unreadable }
        return found
    }

    public func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        if change.addFlags.contains(.deleted), await !client.profile.usesDeletedFlag {
            throw .unsupported(
                "this server may remove messages as soon as they are marked as deleted; nothing was changed")
        }
        try await select(mailbox)
        if await isGmail { return try await storeOnGmail(change, on: targets, in: mailbox) }
        var shown: [UInt32: Sighting] = [:]
        for echo in try await store(
            UIDSet(targets.map(\.uid)), add: FlagAtoms.atoms(change.addFlags, change.addKeywords),
            remove: FlagAtoms.atoms(change.removeFlags, change.removeKeywords))
        {
            shown[echo.uid] = Sighting(
                flags: FlagAtoms.flags(echo.flags), keywords: FlagAtoms.keywords(echo.flags))
        }
        return shown
    }

    /// The server cannot keep keywords that are not in PERMANENTFLAGS, and some servers answer NO to them.
    /// RFC 3501 §7.1.
    public func unkeepable(
        _ keywords: Set<Keyword>, in mailbox: MailboxName
    ) async throws(SinkError) -> Set<Keyword> {
        try await select(mailbox)
        guard let current, !current.allowsNewKeywords, let kept = current.permanentFlags else { return [] }
        let labels = await isGmail ? keywords.filter { !$0.rawValue.hasPrefix("$") } : []
        return keywords.subtracting(FlagAtoms.keywords(kept)).subtracting(labels)
    }

    public func unkeepable(
        _ flags: Set<Flag>, in mailbox: MailboxName
    ) async throws(SinkError) -> Set<Flag> {
        try await select(mailbox)
        guard let kept = current?.permanentFlags, await !isGmail else { return [] }
        return flags.subtracting(FlagAtoms.flags(kept))
    }

    /// Evaluates the FETCH responses in their order: if a message is reported twice, the last response
    /// counts.
    func store(
        _ uids: UIDSet, add: [String], remove: [String]
    ) async throws(SinkError) -> [FlagEcho] {
        try await translating { () async throws(IMAPClientError) in
            var echoes: [FlagEcho] = []
            for change in [FlagChange.add(add), FlagChange.remove(remove)] where !change.flags.isEmpty {
                echoes += try await client.messages.store(uids, change)
            }
            return echoes
        }
    }

    // MARK: Moves

    public func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        if await isGmail, let places = try await moveByLabel(targets, from: mailbox, to: destination) {
            return places
        }
        try await select(mailbox)
        let proof = try await translating { () async throws(IMAPClientError) in
            try await client.messages.move(UIDSet(targets.map(\.uid)), to: destination.name.bytes)
        }
        return NewPlace.places(of: targets, proof)
    }

    public func move(
        _ orders: [MoveOrder], from mailbox: MailboxName, report: @Sendable (MoveAnswer) -> Void
    ) async {
        guard await !isGmail else { return await moveOneByOne(orders, from: mailbox, report: report) }
        do throws(SinkError) {
            try await select(mailbox)
            try await translating { () async throws(IMAPClientError) in
                let moves = orders.map {
                    (uids: UIDSet($0.targets.map(\.uid)), to: $0.destination.name.bytes)
                }
                try await client.messages.move(moves) { end in
                    let places = end.result.map { NewPlace.places(of: orders[end.move].targets, $0) }
                    report(MoveAnswer(order: end.move, result: places.mapError { SinkError($0) }))
                }
            }
        } catch {
            // Nothing was sent. After a lost connection, one answer reports it for all orders; a refusal is
            // reported for each order.
            let isLost = if case .lost = error { true } else { false }
            for order in isLost ? orders.indices.prefix(1) : orders.indices[...] {
                report(MoveAnswer(order: order, result: .failure(error)))
            }
        }
    }

    /// Decided before anything is sent: a copy whose original cannot be removed would be a duplicate.
    public func wayToMove(
        from mailbox: MailboxName, to destination: MailboxName
    ) async throws(SinkError) -> WayToMove {
        if await isGmail, try await knownViews().isByLabel(from: mailbox, to: destination) { return .atOnce }
        if await client.capabilities.contains(.move) { return .atOnce }
        guard await client.capabilities.contains(.uidPlus) else {
            throw .unsupported(
                "the server offers neither MOVE nor UIDPLUS, so opus cannot make sure that a move worked; nothing was changed"
            )
        }
        guard await Self.canMove(client) else {
            throw .unsupported(
                "the server does not offer MOVE, and removing a copied message is not safe there; nothing was "
                    + "changed: move it in another program")
        }
        guard client.permissions.allows(.delete) else {
            throw .unsupported(
                "the server does not offer MOVE, and allow: \(client.permissions.name) in opus.yaml does not let opus remove "
                    + "the original of a copy; nothing was changed")
        }
        guard try await canDelete(in: mailbox) else {
            throw .unsupported(
                "the server does not offer MOVE, and does not let opus delete messages in \(mailbox); nothing was changed"
            )
        }
        return .copyThenRemove
    }

    /// Without the right to mark a message as deleted, `\Deleted` is not in PERMANENTFLAGS. Only MYRIGHTS shows whether the
    /// user may also expunge it. RFC 4314 §4, §5.1.1.
    private func canDelete(in mailbox: MailboxName) async throws(SinkError) -> Bool {
        do throws(SinkError) {
            try await select(mailbox)
        } catch {
            if case .lost = error { throw error }
            // The look at the messages reports it.
            return true
        }
        if let kept = current?.permanentFlags, !kept.isEmpty, !FlagAtoms.flags(kept).contains(.deleted) {
            return false
        }
        if let known = mayExpunge[mailbox] { return known }
        let rights = try await translating { () async throws(IMAPClientError) in
            try await client.mailboxes.rights(on: mailbox.bytes)
        }
        let allows = rights?.allowsExpunge ?? true
        mayExpunge[mailbox] = allows
        return allows
    }

    /// Whether messages can be moved reliably. If not, opus cannot remove single messages either.
    public static func canMove(_ client: IMAPConnection) async -> Bool {
        let offered = await client.capabilities
        let profile = await client.profile
        return offered.contains(.move)
            || (offered.contains(.uidPlus) && profile.usesUIDExpunge && profile.usesDeletedFlag)
    }

    public func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        try await select(mailbox)
        let proof = try await translating { () async throws(IMAPClientError) in
            try await client.messages.copy(UIDSet(targets.map(\.uid)), to: destination.name.bytes)
        }
        return NewPlace.places(of: targets, proof)
    }

    /// Removes only messages that this call marked, not those that other clients marked.
    public func remove(_ targets: [Target], from mailbox: MailboxName) async throws(SinkError) {
        let profile = await client.profile
        guard await client.capabilities.contains(.uidPlus), profile.usesUIDExpunge, profile.usesDeletedFlag
        else { throw .unsupported("the server cannot remove one message alone") }
        try await select(mailbox)
        let uids = UIDSet(targets.map(\.uid))
        try await translating { () async throws(IMAPClientError) in
            _ = try await client.messages.store(uids, .add(["\\Deleted"]))
            try await client.messages.expunge(uids)
        }
    }

    public func digest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String? {
        try await content(of: target, in: mailbox, limit: Self.digestLimit).map {
            Hex.encode(SHA256.hash($0))
        }
    }

    public func content(
        of target: Target, in mailbox: MailboxName, limit: Int
    ) async throws(SinkError) -> [UInt8]? {
        try await select(mailbox)
        let items = FetchItems(body: .whole(maximum: limit))
        return try await fetch([target.uid], items).first?.body.map { Array($0.readableBytesView) }
    }

    static let digestLimit = 50 << 20

    // MARK: Messages

    public func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        try await found(.header(name: field, value: value), in: mailbox)
    }

    public func find(
        remoteID: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        let offered = await client.capabilities
        let id = String(remoteID.dropFirst())
        if remoteID.hasPrefix("G"), offered.contains(.gmail), let number = UInt64(id) {
            return try await found(.gmailMessageID(number), in: mailbox)
        }
        if remoteID.hasPrefix("E"), offered.contains(.objectID) {
            return try await found(.emailID(id), in: mailbox)
        }
        return []
    }

    private func found(
        _ criteria: SearchCriteria, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        // Opened again: otherwise Courier does not report messages that arrived meanwhile. docs/Quirks.md.
        current = nil
        let uidValidity = try await select(mailbox)
        return try await read(search(criteria).suffix(50), uidValidity)
    }

    public func arrivals(
        from first: UInt32, size: Int?, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        current = nil
        let uidValidity = try await select(mailbox)
        // Some servers count through a range up to the highest UID that there can be. docs/Quirks.md.
        let end = current?.uidNext.map { max($0, 1) - 1 } ?? .max
        guard first <= end else { return [] }
        let listed = try await fetchAll(UIDSet(max(first, 1)...end), FetchItems(size: true))
        let alike = listed.filter { size == nil || $0.size == nil || $0.size == size }.map(\.uid)
        return try await read(alike.suffix(500), uidValidity)
    }

    private func read(
        _ uids: ArraySlice<UInt32>, _ uidValidity: UInt32
    ) async throws(SinkError) -> [FoundMessage] {
        guard !uids.isEmpty else { return [] }
        let items = FetchItems(internalDate: true, size: true, header: true)
        return try await fetch(Array(uids), items).compactMap { message in
            message.header.map {
                FoundMessage(
                    uidValidity: uidValidity, uid: message.uid, header: Array($0.readableBytesView),
                    received: message.internalDate.map { Timestamp(seconds: $0) }, size: message.size)
            }
        }
    }

    public func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> NewPlace {
        let place = try await translating { () async throws(IMAPClientError) in
            try await client.messages.append(
                to: mailbox.bytes, flags: FlagAtoms.atoms(flags), internalDate: time.seconds,
                message: ByteBuffer(bytes: message))
        }
        guard let place else { return NewPlace(evidence: "OK to APPEND") }
        return NewPlace(
            uidValidity: place.uidValidity, uid: place.uid,
            evidence: "APPENDUID \(place.uidValidity) \(place.uid)")
    }

    public func create(_ mailbox: Mailbox) async throws(SinkError) {
        do {
            try await client.mailboxes.create(mailbox.name.bytes)
        } catch {
            if error.refusal != .done { throw SinkError(error) }
        }
    }

    public func lists(_ mailbox: MailboxName) async throws(SinkError) -> Bool {
        try await translating { () async throws(IMAPClientError) in try await client.mailboxes.list() }
            .contains { $0.name == mailbox.bytes }
    }

    public func subscribe(_ mailbox: Mailbox) async throws(SinkError) {
        guard client.permissions.allows(.create) else { return }
        do {
            try await client.mailboxes.subscribe(mailbox.name.bytes)
        } catch {
            if error.refusal == nil { throw SinkError(error) }
        }
    }
}
