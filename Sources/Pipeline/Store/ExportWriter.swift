import Files
import Foundation
import Glibc
import MaildirClient
import Models
import Synchronization

/// Writes the messages of one account, mailbox by mailbox.
protocol ExportWriter: Sendable {
    /// `name`: with `/` between the levels. Returns the name of the mailbox in the export.
    func begin(_ name: String) throws -> String
    func write(_ mail: ExportedMail, to name: String) throws
    /// The whole mailbox is on disk when it returns. Returns how many labels of its messages the format could not hold.
    func end(_ name: String) throws -> Int
}

extension StoreExport.Format {
    func writer(root: String, account: AccountID) throws -> any ExportWriter {
        switch self {
        case .maildir: try MaildirExport(root: root, account: account)
        case .mbox: MboxExport(root: root)
        }
    }
}

/// A Maildir++ tree: flags in the file names, labels in the format of Dovecot.
struct MaildirExport: ExportWriter {
    private let client: Maildir
    private let leftOut = LeftOutLabels()

    init(root: String, account: AccountID) throws {
        client = Maildir(root: root, account: account)
        try Problem.wrap { try client.createRoot() }
    }

    func begin(_ name: String) throws -> String {
        if name.lowercased() == "inbox" { return "INBOX" }
        let wanted = client.mailbox(displayName: name) ?? client.mailbox(displayName: ExportName.safe(name))
        guard let mailbox = wanted else { return "INBOX" }
        try Problem.wrap { try client.create(mailbox.name) }
        return mailbox.displayName
    }

    func write(_ mail: ExportedMail, to name: String) throws {
        let mailbox = name == "INBOX" ? MailboxName.inbox : client.mailbox(displayName: name)?.name ?? .inbox
        try Problem.wrap {
            let entry = try client.addMessage(
                to: mailbox, message: mail.bytes, flags: mail.flags,
                unique: "\(mail.received.seconds).\(mail.key)_\(mailbox.bytes.count).opus",
                received: mail.received)
            guard !mail.keywords.isEmpty, try !label(entry, with: mail.keywords, in: mailbox) else { return }
            for keyword in mail.keywords.sorted() where try !label(entry, with: [keyword], in: mailbox) {
                leftOut.add()
            }
        }
    }

    /// false: the mailbox has as many labels as a Maildir holds.
    private func label(
        _ entry: MaildirEntry, with keywords: Set<Keyword>, in mailbox: MailboxName
    ) throws(MaildirError) -> Bool {
        do throws(MaildirError) {
            _ = try client.setFlags(mailbox, unique: entry.unique, addKeywords: keywords)
            return true
        } catch .tooManyKeywords {
            return false
        }
    }

    func end(_ name: String) throws -> Int {
        let mailbox = name == "INBOX" ? MailboxName.inbox : client.mailbox(displayName: name)?.name ?? .inbox
        try Problem.wrap { try client.makeDurable([mailbox]) }
        return leftOut.take()
    }
}

/// Counts the labels that did not fit into a mailbox.
private final class LeftOutLabels: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }

    /// The count so far; it begins at 0 again.
    func take() -> Int { count.withLock { count in (count, count = 0).0 } }
}

/// One file per mailbox in the format "mboxrd" (RFC 4155, with reversible quoting of `>From `). Flags and
/// labels are in `Status`, `X-Status` and `X-Keywords`, which Dovecot, mutt and Thunderbird read.
struct MboxExport: ExportWriter {
    let root: String

    /// `Projects/Acme` becomes `Projects/Acme.mbox`.
    func begin(_ name: String) throws -> String {
        let levels = name.split(separator: "/").map { ExportName.safe(String($0)) }
        var folder = root
        for level in levels.dropLast() {
            folder += "/" + level
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(folder, errno) }
        }
        var path = folder + "/" + (levels.last ?? "_") + ".mbox"
        var number = 2
        // Different names may become equal when unsafe characters are replaced.
        while true {
            do throws(FileFailure) {
                try NewFile.write([], to: path, isDurable: false)
                return path
            } catch {
                guard error.number == EEXIST, number < 1_000 else { throw Self.failure(path, error.number) }
            }
            path = folder + "/" + (levels.last ?? "_") + "-\(number).mbox"
            number += 1
        }
    }

    func write(_ mail: ExportedMail, to path: String) throws {
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw Self.failure(path, errno) }
        defer { close(file) }
        do throws(FileFailure) {
            try NewFile.writeAll(MboxEntry(mail).bytes, to: file)
        } catch {
            throw Self.failure(path, error.number)
        }
    }

    func end(_ path: String) throws -> Int {
        let number = Durable.sync(pathOfFile: path)
        guard number == 0 else { throw Self.failure(path, number) }
        return 0
    }

    private static func failure(_ path: String, _ number: Int32) -> Problem {
        Problem(
            "cannot-export", exit: .cannotCreate,
            message: "cannot write \(path): \(String(cString: strerror(number)))",
            next: ["free some space or check the folder, then export to a new folder"])
    }
}

/// Formats a message as an mbox entry.
struct MboxEntry {
    let bytes: [UInt8]

    /// These fields replace those that the message already has.
    private static let ownFields = ["status:", "x-status:", "x-keywords:", "content-length:"]

    init(_ mail: ExportedMail) {
        var bytes = Array("From opus@localhost \(Self.date(mail.received))\n".utf8)
        var lines = Self.lines(mail.bytes)[...]
        // The separator of another mbox, which some programs leave in front of the header, would end the header.
        if let first = lines.first, first.starts(with: "From ".utf8) || first.starts(with: ">From ".utf8) {
            lines = lines.dropFirst()
        }
        let end = lines.firstIndex { $0.isEmpty } ?? lines.endIndex
        var isDropping = false
        for line in lines[..<end] {
            let isContinued = line.first == 0x20 || line.first == 0x09
            if !isContinued {
                let start = String(decoding: line.prefix(16), as: UTF8.self).lowercased()
                isDropping = Self.ownFields.contains { start.hasPrefix($0) }
            }
            if !isDropping { Self.add(line, to: &bytes) }
        }
        for field in Self.marks(mail) { Self.add(Array(field.utf8)[...], to: &bytes) }
        bytes.append(0x0A)
        for line in lines[end...].dropFirst() { Self.add(line, to: &bytes) }
        bytes.append(0x0A)
        self.bytes = bytes
    }

    private static func lines(_ message: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = message.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            $0.last == 0x0D ? $0.dropLast() : $0
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func add(_ line: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        if line.drop(while: { $0 == UInt8(ascii: ">") }).starts(with: "From ".utf8) {
            bytes.append(UInt8(ascii: ">"))
        }
        bytes += line
        bytes.append(0x0A)
    }

    private static func marks(_ mail: ExportedMail) -> [String] {
        var fields = ["Status: " + (mail.flags.contains(.seen) ? "RO" : "O")]
        let letters: [(Flag, String)] = [(.answered, "A"), (.flagged, "F"), (.draft, "T"), (.deleted, "D")]
        let others = letters.filter { mail.flags.contains($0.0) }.map(\.1).joined()
        if !others.isEmpty { fields.append("X-Status: " + others) }
        let labels = mail.keywords.map(\.rawValue).filter { word in
            word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
        if !labels.isEmpty { fields.append("X-Keywords: " + labels.sorted().joined(separator: " ")) }
        return fields
    }

    /// `Tue Mar 10 07:30:00 2026`, in UTC.
    private static func date(_ time: Timestamp) -> String {
        var seconds = time_t(time.seconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%a %b %e %H:%M:%S %Y", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
