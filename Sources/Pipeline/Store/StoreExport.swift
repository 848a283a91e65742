import Accounts
import Files
import Foundation
import Glibc
import IMAPClient
import IMAPProtocol
import MailStore
import MaildirClient
public import Models
import SyncEngine

/// Writes all mail and all tasks into a new folder, in formats that other programs read.
///
/// opus reads each message completely from the account. If the account no longer has it, or its mailbox has another
/// UIDVALIDITY, the export contains the header and text from the store.
///
/// Until the end, the folder has another name, so that an interrupted export does not look complete.
public struct StoreExport: Sendable {
    public enum Format: String, CaseIterable, Sendable {
        case maildir
        case mbox
    }

    public struct Report: Sendable {
        public var folder: String
        public var format: Format
        public var mailboxes: [Exported] = []
        public var tasks = 0
        public var drafts = 0

        public var messages: Int { mailboxes.reduce(0) { $0 + $1.messages } }
        public var missing: Int { mailboxes.reduce(0) { $0 + $1.missing } }
        public var labelsLeftOut: Int { mailboxes.reduce(0) { $0 + $1.labelsLeftOut } }
    }

    public struct Exported: Sendable {
        public var account: String
        public var mailbox: String
        public var messages = 0
        /// Messages that the account did not return, so the export has only their headers and texts.
        public var missing = 0
        /// Labels of single messages that the format cannot hold.
        public var labelsLeftOut = 0
    }

    let workspace: Workspace
    let accounts: AccountAccess
    let connections: AccountConnections
    let store: Store

    /// The maximum size of a message that is read completely.
    private static let limit = 256 << 20
    /// The number of messages per request.
    private static let batch = 200
    /// The folder of the task files.
    private static let tasks = "tasks"

    public func export(
        to folder: String, as format: Format, account: String?,
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> Report {
        let ids = try accounts.ids(named: account)
        let unfinished = try Self.begin(folder)
        var report = Report(folder: folder, format: format)
        var taken: Set = [Self.tasks]
        for id in ids {
            try Task.checkCancellation()
            let account = try accounts.require(id)
            let root = unfinished + "/" + ExportName.free(id.rawValue, &taken)
            try Self.makeNew(root)
            let writer = try format.writer(root: root, account: id)
            report.mailboxes += try await connections.connected(account) { connection in
                try await mailboxes(of: connection, writer, progress)
            }
            report.drafts += try drafts(of: id, writer)
        }
        report.tasks = try TaskExport(from: workspace.tasksFolder, to: unfinished + "/" + Self.tasks).run()
        try Self.finish(unfinished, as: folder)
        return report
    }

    /// Makes the folder for the unfinished export, beside the final one. Returns its path.
    private static func begin(_ folder: String) throws -> String {
        try requireFree(folder)
        let unfinished = withoutSlashes(folder) + ".unfinished"
        var status = stat()
        guard lstat(unfinished, &status) != 0 else {
            throw Problem(
                "cannot-export", exit: .cannotCreate,
                message: "an export to \(folder) did not finish: \(unfinished) already exists",
                next: ["delete \(unfinished), then export again"])
        }
        try makeNew(unfinished)
        return unfinished
    }

    private static func finish(_ unfinished: String, as folder: String) throws {
        let final = withoutSlashes(folder)
        var number = Renaming.system.noReplace(AT_FDCWD, unfinished, final)
        if Renaming.isUnsupported(number) {
            // A plain rename replaces an empty folder at most.
            try requireFree(folder)
            number = rename(unfinished, final) == 0 ? 0 : errno
        }
        guard number == 0 else {
            throw Problem(
                "cannot-export", exit: .cannotCreate,
                message: "cannot rename \(unfinished) to \(final): \(String(cString: strerror(number)))",
                details: ["the export itself is complete"])
        }
    }

    private static func requireFree(_ folder: String) throws {
        var status = stat()
        guard lstat(withoutSlashes(folder), &status) == 0 else { return }
        throw alreadyExists(folder)
    }

    private static func alreadyExists(_ folder: String) -> Problem {
        Problem(
            "cannot-export", exit: .cannotCreate, message: "\(folder) already exists",
            next: ["name a new folder, in a folder that exists"])
    }

    private static func withoutSlashes(_ folder: String) -> String {
        var path = folder[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    static func makeNew(_ folder: String) throws {
        guard mkdir(folder, 0o700) != 0 else { return }
        let number = errno
        guard number != EEXIST else { throw alreadyExists(folder) }
        throw Problem(
            "cannot-export", exit: .cannotCreate,
            message: "cannot make \(folder): \(String(cString: strerror(number)))",
            next: ["name a new folder, in a folder that exists"])
    }

    private func mailboxes(
        of connection: AccountConnection, _ writer: any ExportWriter,
        _ progress: @escaping @Sendable (SyncProgress) -> Void
    ) async throws -> [Exported] {
        var exported: [Exported] = []
        let id = connection.account.id
        let known = try Problem.wrap { try store.sync.mailboxes(of: id) }
        let names = known.namesForPeople
        for mailbox in known {
            let places = try Problem.wrap { try store.sync.placements(of: id, mailbox: mailbox.name) }
            // A mailbox that only contains other mailboxes has nothing to export.
            guard !places.isEmpty || mailbox.role == .inbox else { continue }
            let title = names[mailbox.name] ?? mailbox.plainName
            var result = Exported(account: id.rawValue, mailbox: title)
            let name = try writer.begin(title)
            let isHere = try await isStillHere(mailbox, connection)
            for start in stride(from: 0, to: places.count, by: Self.batch) {
                try Task.checkCancellation()
                let part = Array(places[start..<min(start + Self.batch, places.count)])
                let received = try Problem.wrap { try store.messages.received(part.map(\.message)) }
                let come = try await fetch(isHere ? part : [], of: mailbox, over: connection) { raw, place in
                    let mail = ExportedMail(raw, place, received: received[place.message])
                    try writer.write(mail, to: name)
                }
                for place in part where !come.contains(place.uid) {
                    guard let kept = try Problem.wrap({ try store.messages.detail(of: place.message) }) else {
                        continue
                    }
                    try writer.write(ExportedMail(kept, place), to: name)
                    result.missing += 1
                }
                result.messages += part.count
                progress(
                    SyncProgress(
                        account: id, mailbox: mailbox.displayName, done: start + part.count,
                        total: places.count))
            }
            result.labelsLeftOut = try writer.end(name)
            exported.append(result)
        }
        return exported
    }

    /// Opens the mailbox. false: the account no longer has it, or its UIDs may belong to other messages now.
    private func isStillHere(_ mailbox: Mailbox, _ connection: AccountConnection) async throws -> Bool {
        let known = try Problem.wrap { try store.sync.syncState(of: mailbox.account, mailbox: mailbox.name) }
        return try await Problem.wrap(connection.account) {
            do {
                return try await connection.source.open(mailbox).uidValidity == known?.uidValidity
            } catch MaildirError.noSuchMailbox {
                return false
            } catch IMAPClientError.refused(_, .no, _, _) {
                return false
            }
        }
    }

    /// - Returns: The UIDs of the received messages.
    private func fetch(
        _ places: [Placement], of mailbox: Mailbox, over connection: AccountConnection,
        _ write: @escaping @Sendable (RawMessage, Placement) throws -> Void
    ) async throws -> Set<UInt32> {
        guard !places.isEmpty else { return [] }
        let listed = places.map { ListedMessage(uid: $0.uid, remoteName: $0.remoteName) }
        let byUID = Dictionary(places.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        let byName = Dictionary(
            places.compactMap { place in place.remoteName.map { ($0, place) } },
            uniquingKeysWith: { first, _ in first })
        let come = Come()
        try await Problem.wrap(connection.account) {
            try await connection.source.fetch(listed, of: mailbox, limit: Self.limit) { raw in
                let place = raw.listed.remoteName.flatMap { byName[$0] } ?? byUID[raw.listed.uid]
                guard let place, await come.insert(place.uid) else { return }
                try write(raw, place)
            }
        }
        return await come.uids
    }

    /// Drafts that are not in a mailbox yet.
    private func drafts(of id: AccountID, _ writer: any ExportWriter) throws -> Int {
        let drafts = try Problem.wrap { try store.drafts.drafts(of: id) }.filter { !$0.isPushed }
        guard !drafts.isEmpty else { return 0 }
        let name = try writer.begin("opus-drafts")
        for draft in drafts {
            try writer.write(
                ExportedMail(
                    bytes: draft.content, received: draft.savedAt, flags: [.draft, .seen], keywords: [],
                    key: "draft\(draft.id ?? 0)"), to: name)
        }
        _ = try writer.end(name)
        return drafts.count
    }
}

private actor Come {
    private(set) var uids: Set<UInt32> = []
    func insert(_ uid: UInt32) -> Bool { uids.insert(uid).inserted }
}

/// A message to export.
struct ExportedMail: Sendable {
    var bytes: [UInt8]
    var received: Timestamp
    var flags: Set<Flag>
    var keywords: Set<Keyword>
    /// Identifies the message in its mailbox; part of its file name.
    var key: String
}

extension ExportedMail {
    /// `received`: as the store knows it, because an IMAP server is not asked for it again.
    init(_ raw: RawMessage, _ place: Placement, received: Timestamp?) {
        self.init(
            bytes: raw.bytes, received: received ?? raw.listed.received ?? Timestamp(seconds: 0),
            flags: place.flags, keywords: place.keywords, key: "\(place.uid)")
    }

    /// From the stored header and text. The text is decoded, so the fields that describe the original body are replaced.
    init(_ kept: StoredMessage, _ place: Placement) {
        var bytes: [UInt8] = []
        var isKept = true
        for line in kept.headerBlock.split(separator: 0x0A) {
            let text = line.last == 0x0D ? line.dropLast() : line
            guard let first = text.first else { break }
            if first != 0x20, first != 0x09 {
                let start = String(decoding: text.prefix(13), as: UTF8.self).lowercased()
                isKept = !start.hasPrefix("content-") && start != "mime-version:"
            }
            if isKept { bytes += text + [0x0A] }
        }
        let body = """
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 8bit

            \(kept.text)
            """
        self.init(
            bytes: bytes + Array(body.utf8), received: kept.received, flags: place.flags,
            keywords: place.keywords, key: "\(place.uid)")
    }
}

/// Converts names of mailboxes and accounts to file names.
enum ExportName {
    /// A safe name that is not taken yet, and takes it.
    static func free(_ name: String, _ taken: inout Set<String>) -> String {
        let safe = safe(name)
        var free = safe
        var number = 2
        while !taken.insert(free).inserted {
            free = "\(safe)-\(number)"
            number += 1
        }
        return free
    }

    /// One level, without characters that have a special meaning in a path, a shell or a terminal.
    static func safe(_ name: String) -> String {
        let whole = name.unicodeScalars.prefix(60).reduce(into: "") { text, scalar in
            if scalar.value < 0x80 {
                let byte = UInt8(scalar.value)
                let isPlain = byte > 0x20 && byte < 0x7F && !"/\\%:*?\"<>|".utf8.contains(byte)
                text += isPlain ? String(scalar) : String(format: "%%%02X", byte)
            } else {
                text += scalar.isHarmful ? "_" : String(scalar)
            }
        }
        return whole.isEmpty ? "_" : whole.hasPrefix(".") ? "_" + whole.dropFirst() : whole
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmful: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            true
        case _: false
        }
    }
}
