import Crypto
import MIMEParser
public import MaildirClient
public import Models

/// A Maildir as a ``MailSink``: renames are atomic, and the file name proves the result.
public struct MaildirMailSink: MailSink {
    let client: Maildir

    public var isLocal: Bool { true }

    public init(client: Maildir) { self.client = client }

    static let uidValidity: UInt32 = 1
    public func open(_ mailbox: MailboxName) async throws(SinkError) -> UInt32? {
        try perform { () throws(MaildirError) in
            try client.mailboxes().contains { $0.name == mailbox } ? Self.uidValidity : nil
        }
    }

    public func look(
        at targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        try perform { () throws(MaildirError) in
            var found: [UInt32: Sighting] = [:]
            let entries = Dictionary(
                try client.list(mailbox).map { ($0.unique, $0) }, uniquingKeysWith: { first, _ in first })
            for target in targets {
                guard let name = target.remoteName, let entry = entries[name] else { continue }
                guard let bytes = try header(name, in: mailbox) else { continue }
                found[target.uid] = Sighting(
                    flags: entry.flags, keywords: entry.keywords,
                    header: Array(MIMEParser.parse(bytes).headerBlock), size: entry.size)
            }
            return found
        }
    }

    /// nil for a file that was removed since the folder was listed.
    private func header(_ name: String, in mailbox: MailboxName) throws(MaildirError) -> [UInt8]? {
        do throws(MaildirError) {
            return try client.read(mailbox, unique: name, limit: LongHeader.limit)
        } catch {
            guard case .gone = error else { throw error }
            return nil
        }
    }

    public func store(
        _ change: MarkChange, on targets: [Target], in mailbox: MailboxName
    ) async throws(SinkError) -> [UInt32: Sighting] {
        try perform { () throws(MaildirError) in
            var shown: [UInt32: Sighting] = [:]
            for target in targets {
                guard let name = target.remoteName else { continue }
                let entry = try client.setFlags(
                    mailbox, unique: name, add: change.addFlags, remove: change.removeFlags,
                    addKeywords: change.addKeywords, removeKeywords: change.removeKeywords)
                shown[target.uid] = Sighting(flags: entry.flags, keywords: entry.keywords)
            }
            if !shown.isEmpty { try client.makeDurable([mailbox]) }
            return shown
        }
    }

    public func move(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        var places: [UInt32: NewPlace] = [:]
        for target in targets {
            guard let name = target.remoteName else { continue }
            do throws(MaildirError) {
                let entry = try client.move(unique: name, from: mailbox, to: destination.name)
                places[target.uid] = NewPlace(
                    uidValidity: Self.uidValidity, uid: 0, remoteName: entry.unique,
                    evidence: "renamed to \(shown(entry))")
            } catch {
                guard case .gone = error else { throw Self.translated(error) }
            }
        }
        // A move is confirmed when it is on disk, not when the system call returns.
        if !places.isEmpty {
            try perform { () throws(MaildirError) in
                try client.makeDurable([destination.name, mailbox])
            }
        }
        return places
    }

    /// The path relative to the Maildir: users can paste it without revealing the rest of their disk.
    private func shown(_ entry: MaildirEntry) -> String {
        entry.path.hasPrefix(client.root + "/")
            ? String(entry.path.dropFirst(client.root.count + 1)) : entry.path
    }

    public func numbers(of mailbox: MailboxName) async throws(SinkError) -> MailboxNumbers? {
        try await open(mailbox).map { MailboxNumbers(uidValidity: $0, uidNext: nil) }
    }

    public func wayToMove(from mailbox: MailboxName, to destination: MailboxName) -> WayToMove { .atOnce }

    public func copy(
        _ targets: [Target], from mailbox: MailboxName, to destination: Mailbox
    ) async throws(SinkError) -> [UInt32: NewPlace] {
        throw .unsupported("in a Maildir a message is renamed, not copied")
    }

    public func remove(_ targets: [Target], from mailbox: MailboxName) async throws(SinkError) {
        try perform { () throws(MaildirError) in
            for target in targets {
                if let name = target.remoteName { try client.remove(mailbox, unique: name) }
            }
            if !targets.isEmpty { try client.makeDurable([mailbox]) }
        }
    }

    public func digest(of target: Target, in mailbox: MailboxName) async throws(SinkError) -> String? {
        try await content(of: target, in: mailbox, limit: 50 << 20).map { Hex.encode(SHA256.hash($0)) }
    }

    public func content(
        of target: Target, in mailbox: MailboxName, limit: Int
    ) async throws(SinkError) -> [UInt8]? {
        guard let name = target.remoteName else { return nil }
        let bytes: [UInt8]
        do throws(MaildirError) {
            bytes = try client.read(mailbox, unique: name, limit: limit + 1)
        } catch {
            if case .gone = error { return nil }
            throw Self.translated(error)
        }
        return bytes.count > limit ? nil : bytes
    }

    public func find(
        _ field: String, _ value: String, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        try perform { () throws(MaildirError) in
            var found: [FoundMessage] = []
            for entry in try client.list(mailbox) {
                guard let bytes = try header(entry.unique, in: mailbox) else { continue }
                let block = Array(MIMEParser.parse(bytes).headerBlock)
                let holds = HeaderBlock.fields(of: block).contains {
                    $0.name.lowercased() == field.lowercased() && $0.body.contains(value)
                }
                guard holds else { continue }
                found.append(
                    FoundMessage(
                        uidValidity: Self.uidValidity, uid: 0, remoteName: entry.unique, header: block,
                        size: entry.size))
            }
            // A file that an interrupted run wrote counts only once it is on disk.
            if !found.isEmpty { try client.makeDurable([mailbox]) }
            return found
        }
    }

    /// The file name is made from the time, the token and the content, so repeating the same call finds the same file, and
    /// another message with the same Message-ID has another file.
    public func append(
        _ message: [UInt8], to mailbox: MailboxName, flags: Set<Flag>, token: MessageID, at time: Timestamp
    ) async throws(SinkError) -> NewPlace {
        try perform { () throws(MaildirError) in
            let safe = token.rawValue.unicodeScalars.map { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                    ? Character(scalar) : "-"
            }
            let entry = try client.addMessage(
                to: mailbox, message: message, flags: flags,
                unique: "\(time.seconds).\(String(safe.prefix(100)))-\(MessageDigest.of(message).prefix(16))",
                received: time)
            return NewPlace(
                uidValidity: Self.uidValidity, uid: 0, remoteName: entry.unique, evidence: shown(entry))
        }
    }

    public func create(_ mailbox: Mailbox) async throws(SinkError) {
        try perform { () throws(MaildirError) in try client.create(mailbox.name) }
    }

    private func perform<Result>(_ body: () throws(MaildirError) -> Result) throws(SinkError) -> Result {
        do throws(MaildirError) {
            return try body()
        } catch {
            throw Self.translated(error)
        }
    }

    private static func translated(_ error: MaildirError) -> SinkError {
        switch error {
        case .locked: .busy(error.description)
        case .noSpace, .permission, .io, .missingRoot, .notAMaildir, .gone, .tooManyFiles:
            .refused(error.description)
        case .noSuchMailbox, .invalidName, .alreadyExists, .tooManyKeywords, .linkedKeywords,
            .notAllowed:
            .unsupported(error.description)
        }
    }
}
