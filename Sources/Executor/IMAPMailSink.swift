public import IMAPClient
import IMAPProtocol
public import Models
import NIOCore

/// An IMAP account as a ``MailSink``.
///
/// A move is UID MOVE, or copy, `\Deleted` and UID EXPUNGE of exactly those messages; where a server has neither
/// MOVE nor UIDPLUS nothing is moved. Flags are added and removed, never set as a whole, and the echo is the proof.
public actor IMAPMailSink: MailSink {
    private let client: IMAPClient
    private var current: SelectedMailbox?

    public init(client: IMAPClient) { self.client = client }

    public func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32? {
        if let current, current.name == mailbox.bytes { return current.uidValidity }
        do {
            return try await client.status(mailbox.bytes).uidValidity ?? 0
        } catch {
            if case .refused = error { return nil }
            throw Self.translated(error)
        }
    }

    public func look(
        at targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        guard !targets.isEmpty else { return [:] }
        try await select(mailbox)
        var found: [UInt32: Sighting] = [:]
        for message in try await fetch(targets.map(\.uid), FetchItems(flags: true, header: true)) {
            guard let header = message.header, !message.missing.contains(.flags) else { continue }
            found[message.uid] = Sighting(
                flags: SinkFlags.flags(message.flags), keywords: SinkFlags.keywords(message.flags),
                header: Array(header.readableBytesView))
        }
        return found
    }

    public func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        try await select(mailbox)
        let uids = UIDSet(targets.map(\.uid))
        var shown: [UInt32: Sighting] = [:]
        let added = SinkFlags.atoms(change.addFlags, change.addKeywords)
        let removed = SinkFlags.atoms(change.removeFlags, change.removeKeywords)
        try await translating { () async throws(IMAPClientError) in
            for change in [FlagChange.add(added), FlagChange.remove(removed)] where !change.flags.isEmpty {
                for echo in try await client.store(uids, change) {
                    shown[echo.uid] = Sighting(
                        flags: SinkFlags.flags(echo.flags), keywords: SinkFlags.keywords(echo.flags))
                }
            }
        }
        return shown
    }

    public func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: MailboxName
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        try await select(mailbox)
        let uids = UIDSet(targets.map(\.uid))
        let offered = await client.capabilities
        guard offered.contains(.move) || offered.contains(.uidPlus) else {
            throw .unsupported(
                "the server offers neither MOVE nor UIDPLUS, so a move cannot be proven; nothing was changed")
        }
        let proof = try await translating { () async throws(IMAPClientError) -> CopyUID? in
            if offered.contains(.move) { return try await client.move(uids, to: destination.bytes) }
            return try await copyThenRemove(uids, to: destination)
        }
        var places: [UInt32: NewPlace] = [:]
        for target in targets {
            guard let proof, let uid = proof.destination(of: target.uid) else { continue }
            places[target.uid] = NewPlace(
                uidValidity: proof.uidValidity, uid: uid,
                evidence: "COPYUID \(proof.uidValidity) \(target.uid) \(uid)")
        }
        return places
    }

    /// Strictly one after the other: what was not proven to be copied is never marked, and nothing is removed
    /// that was not marked by us in this call.
    private func copyThenRemove(
        _ uids: UIDSet, to destination: MailboxName
    ) async throws(IMAPClientError) -> CopyUID? {
        guard let proof = try await client.copy(uids, to: destination.bytes) else { return nil }
        let copied = UIDSet(uids.uids.filter { proof.destination(of: $0) != nil })
        guard !copied.isEmpty else { return nil }
        _ = try await client.store(copied, .add(["\\Deleted"]))
        try await client.expunge(copied)
        return proof
    }

    public func find(_ token: MessageID, in mailbox: MailboxName) async throws(SinkError) -> [FoundMessage] {
        let uidValidity = try await select(mailbox)
        let uids = try await translating { () async throws(IMAPClientError) in
            try await client.search(.header(name: "Message-ID", value: token.rawValue))
        }
        guard !uids.isEmpty else { return [] }
        return try await fetch(Array(uids.suffix(50)), FetchItems(header: true)).compactMap { message in
            message.header.map {
                FoundMessage(uidValidity: uidValidity, uid: message.uid, header: Array($0.readableBytesView))
            }
        }
    }

    public func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> String {
        let place = try await translating { () async throws(IMAPClientError) in
            try await client.append(
                to: mailbox.bytes, flags: SinkFlags.atoms(flags, []), internalDate: time.seconds,
                message: ByteBuffer(bytes: message))
        }
        return place.map { "APPENDUID \($0.uidValidity) \($0.uid)" } ?? "OK to APPEND"
    }

    public func create(_ mailbox: Mailbox) async throws(SinkError) {
        do {
            try await client.create(mailbox.name.bytes)
        } catch {
            if case .refused(_, _, .alreadyExists, _) = error { return }
            throw Self.translated(error)
        }
    }

    /// Opens the mailbox for changes; answers with its UIDVALIDITY.
    @discardableResult
    private func select(_ mailbox: MailboxName) async throws(SinkError) -> UInt32 {
        if let current, current.name == mailbox.bytes { return current.uidValidity }
        current = nil
        let selected = try await translating { () async throws(IMAPClientError) in
            try await client.select(mailbox.bytes, readOnly: false)
        }
        guard !selected.isReadOnly else {
            throw .unsupported("the server opened \(mailbox) for reading only")
        }
        guard selected.uidValidity != 0 else {
            throw .unsupported("the server gives \(mailbox) no UIDVALIDITY, so nothing can be changed safely")
        }
        current = selected
        return selected.uidValidity
    }

    private func fetch(_ uids: [UInt32], _ items: FetchItems) async throws(SinkError) -> [FetchedMessage] {
        var messages: [FetchedMessage] = []
        do {
            try await client.fetch(UIDSet(uids), items) { messages.append($0) }
        } catch let error as IMAPClientError {
            throw Self.translated(error)
        } catch {
            throw .lost("\(error)")
        }
        return messages
    }

    private func translating<Result: Sendable>(
        _ body: () async throws(IMAPClientError) -> Result
    ) async throws(SinkError) -> Result {
        do throws(IMAPClientError) {
            return try await body()
        } catch {
            throw Self.translated(error)
        }
    }

    private static func translated(_ error: IMAPClientError) -> SinkError {
        switch error {
        case .refused, .loginUnavailable: .refused(error.description)
        case .invalidRequest, .missingCapability, .noMailboxSelected: .unsupported(error.description)
        case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
            .noLoginMechanism,
            .badCredentials, .partlyDone, .bye, .limit, .protocol, .abandoned, .loggedOut:
            .lost(error.description)
        }
    }
}

/// Flags on the wire and in our words. RFC 3501 §2.3.2.
private enum SinkFlags {
    static func flags(_ atoms: [String]) -> Set<Flag> {
        Set(atoms.filter { $0.hasPrefix("\\") }.compactMap { Flag(rawValue: $0.dropFirst().lowercased()) })
    }

    static func keywords(_ atoms: [String]) -> Set<Keyword> {
        Set(atoms.filter { !$0.hasPrefix("\\") && !$0.isEmpty }.map { Keyword($0) })
    }

    static func atoms(_ flags: Set<Flag>, _ keywords: Set<Keyword>) -> [String] {
        flags.sorted().map { "\\" + $0.rawValue.prefix(1).uppercased() + $0.rawValue.dropFirst() }
            + keywords.sorted().map(\.rawValue)
    }
}
