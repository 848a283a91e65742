import Accounts
import Executor
import Glibc
import MIMEParser
import MailStore
import MaildirClient
public import Models
public import Rules
import SyncEngine

/// One message in full.
public struct MessageView: Sendable {
    public var line: MessageLine
    public var mailboxes: [String]
    public var headers: [HeaderField]
    public var text: String
    /// Only the beginning of the message is in the store.
    public var isTruncated: Bool
}

/// Why each rule did or did not match a message, and what was done with it.
public struct Explanation: Sendable {
    public var line: MessageLine
    public var rules: [RuleExplanation]
    public var evaluation: Evaluation
    /// What runs did with the message, oldest first.
    public var history: [(run: RunID, step: Step)]
}

extension Session {
    public func view(_ typed: String) throws -> MessageView {
        let detail = try message(typed)
        let line = try self.line(of: detail)
        return MessageView(
            line: line, mailboxes: detail.places.map(\.mailbox.displayName),
            headers: HeaderBlock.fields(of: detail.headerBlock), text: detail.text,
            isTruncated: detail.isTruncated)
    }

    /// The message's bytes, read from the account.
    public func raw(_ typed: String) async throws -> [UInt8] {
        let detail = try message(typed)
        let account = try requireAccount(detail.account)
        guard let bytes = try await connected(account, { try await bytes(of: detail.id, over: $0) }) else {
            throw Problem(
                "gone", exit: .notFound, message: "no mailbox holds this message any more",
                next: ["opus sync", "opus show \(typed) (its text is still in the store)"])
        }
        return bytes
    }

    /// nil when no mailbox holds the message any more.
    func bytes(of id: EmailID, over connection: AccountConnection) async throws -> [UInt8]? {
        guard let place = try store.places(of: id).first(where: { !$0.isMissing }) else { return nil }
        let listed = ListedMessage(uid: place.key.uid, remoteName: place.remoteName)
        let box = RawBox()
        return try await Problem.wrap(connection.account) {
            _ = try await connection.source.open(place.mailbox)
            try await connection.source.fetch([listed], of: place.mailbox, limit: Self.rawLimit) { raw in
                await box.put(raw.bytes)
            }
            return await box.bytes
        }
    }

    /// The largest message that is read whole on a person's word.
    static let rawLimit = 256 << 20

    /// One part by its section number, decoded; or, with a folder, every attachment as a file of its own.
    public func part(_ typed: String, section: String) async throws -> [UInt8] {
        let parsed = MIMEParser.parse(try await raw(typed))
        guard let body = parsed.decodedBody(section: section) else {
            let known = parsed.attachments.map { "\($0.section) (\($0.name))" }.joined(separator: ", ")
            throw Problem(
                "no-such-part", exit: .notFound, message: "the message has no part \(section)",
                next: known.isEmpty ? [] : ["one of: \(known)"])
        }
        return body
    }

    /// Saves the attachments into a folder under safe names, never over a file. Answers with the paths.
    public func saveAttachments(_ typed: String, to folder: String) async throws -> [String] {
        let parsed = MIMEParser.parse(try await raw(typed))
        var paths: [String] = []
        for attachment in parsed.attachments {
            guard let body = parsed.decodedBody(section: attachment.section) else { continue }
            paths.append(try SafeFile.write(body, named: attachment.name, in: folder))
        }
        return paths
    }

    public func explain(_ typed: String, rule: String?) throws -> Explanation {
        let library = try requireRules()
        let detail = try message(typed)
        let account = try requireAccount(detail.account)
        let context = try ruleContext(for: account)
        let all = try facts(.ids([detail.id]), needs: [.headers, .text])
        guard let facts = all.first(where: { $0.mailbox.role == .inbox }) ?? all.first else {
            throw Problem("gone", exit: .notFound, message: "no mailbox holds this message any more")
        }
        var rules = library.rules.explain(facts, in: context)
        if let rule {
            rules = rules.filter { $0.id == rule }
            guard !rules.isEmpty else {
                throw Problem(
                    "no-such-rule", exit: .notFound, message: "there is no rule \"\(rule)\"",
                    next: ["opus rules list"])
            }
        }
        guard let line = try lines([facts], account: account).first else {
            throw Problem("gone", exit: .notFound, message: "no mailbox holds this message any more")
        }
        return Explanation(
            line: line, rules: rules, evaluation: library.rules.evaluate(facts, in: context),
            history: try store.runsMentioning(detail.id).map { ($0.run, $0.step) })
    }

    public func shortIDs(_ ids: [EmailID]) throws -> [EmailID: String] { try store.shortPrefix(of: ids) }

    private func line(of detail: StoredMessage) throws -> MessageLine {
        let account = try requireAccount(detail.account)
        let all = try facts(.ids([detail.id]), needs: [])
        if let line = try lines(Array(all.prefix(1)), account: account).first { return line }
        let nowhere = Mailbox(account: detail.account, name: MailboxName("-"), displayName: "(no mailbox)")
        var facts = MessageFacts(
            id: detail.id,
            key: MessageKey(account: detail.account, mailbox: nowhere.name, uidValidity: 0, uid: 0),
            mailbox: nowhere, thread: detail.thread, received: detail.received)
        facts.subject = detail.subject
        facts.from = detail.from
        facts.to = detail.to
        facts.cc = detail.cc
        facts.sent = detail.sent
        facts.messageID = detail.messageID
        facts.size = detail.size
        facts.attachments = detail.attachments
        facts.flags = [.seen]
        return try lines([facts], account: account)[0]
    }
}

private actor RawBox {
    private(set) var bytes: [UInt8]?
    func put(_ new: [UInt8]) { bytes = new }
}

/// Files whose names come from strangers.
enum SafeFile {
    /// The last path component without controls, bidirectional overrides and leading dots, at most 150 bytes.
    static func name(_ wished: String) -> String {
        let base = wished.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var kept = ""
        for scalar in base.unicodeScalars where !isUnsafe(scalar) {
            guard kept.utf8.count + UTF8.width(scalar) <= 150 else { break }
            kept.unicodeScalars.append(scalar)
        }
        // Scalars, not Characters: a dot with an accent is a hidden file all the same.
        var scalars = Substring(kept).unicodeScalars
        while let first = scalars.first, ". -".unicodeScalars.contains(first) { scalars.removeFirst() }
        while let last = scalars.last, ". ".unicodeScalars.contains(last) { scalars.removeLast() }
        return scalars.isEmpty ? "attachment" : String(scalars)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        case _: ":*?\"<>|".unicodeScalars.contains(scalar)
        }
    }

    /// Writes a new file; a name that is taken gets ` (2)` and so on.
    static func write(_ bytes: [UInt8], named wished: String, in folder: String) throws -> String {
        let name = name(wished)
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for attempt in 1...1_000 {
            let numbered = attempt == 1 ? name : "\(name[..<dot]) (\(attempt))\(name[dot...])"
            let path = folder + "/" + numbered
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else {
                throw Problem(
                    "cannot-write", exit: .cannotCreate,
                    message: "cannot write \(path): \(String(cString: strerror(errno)))",
                    next: ["mkdir -p \(folder)"])
            }
            defer { close(descriptor) }
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].withUnsafeBytes {
                    Glibc.write(descriptor, $0.baseAddress, $0.count)
                }
                guard count > 0 else {
                    unlink(path)
                    throw Problem(
                        "cannot-write", exit: .cannotCreate,
                        message: "cannot write \(path): \(String(cString: strerror(errno)))",
                        next: ["free some space"])
                }
                offset += count
            }
            return path
        }
        throw Problem(
            "cannot-write", exit: .cannotCreate, message: "\(folder) has too many files named \(name)")
    }
}
