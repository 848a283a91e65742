import Foundation
import MIMEParser
import MaildirClient
public import Models

/// The built-in example: a separate workspace folder with the sample mailbox and the starter rules.
public struct DemoWorkspace: Sendable {
    /// The folder with all files; it may be deleted at any time.
    public let root: String

    /// The days of the demonstration.
    public enum Day: String, Sendable {
        case tuesday = "2026-03-10T08:30:00+01:00"
        case thursday = "2026-03-12T08:30:00+01:00"
        case saturday = "2026-03-14T10:00:00+01:00"

        public var time: Timestamp { Timestamp(rfc3339: rawValue) ?? Timestamp(seconds: 0) }
    }

    static let configuration = """
        config-version: 1
        me: { name: Ana Ruiz, addresses: [ana@acme.example, ana@example.org] }
        time-zone: Europe/Paris
        dates: { order: day-month }
        accounts:
          - name: work
            address: ana@acme.example
            maildir: Maildir

        """

    /// Creates the workspace in an empty folder. `mail` has one folder per mailbox, with files
    /// `NN-name[.FLAGS].eml`; the time of a file is the date of its message.
    public static func make(at root: String, mail: String, rules: String) throws -> DemoWorkspace {
        let manager = FileManager.default
        do {
            try Data(configuration.utf8).write(to: URL(filePath: root + "/opus.yaml"))
            // Uses the target of a symbolic link, so that commands on the copy change only the copy.
            let shared = URL(filePath: rules).resolvingSymlinksInPath().path
            try copy(shared, to: root + "/rules")
            try manager.createDirectory(
                atPath: root + "/tasks", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let client = Maildir(root: root + "/Maildir", account: AccountID("work"))
            try client.createRoot()
            for mailbox in try manager.contentsOfDirectory(atPath: mail).sorted()
            where !mailbox.hasPrefix(".") {
                try fill(client, mailbox, from: mail + "/" + mailbox)
            }
            return DemoWorkspace(root: root)
        } catch let error as CocoaError {
            throw Problem(
                "no-demo", exit: .cannotCreate, message: "the example cannot be created in \(root)",
                details: [error.localizedDescription])
        }
    }

    /// Creates new files: installed files may have an owner and permissions that opus does not accept for
    /// rules.
    private static func copy(_ folder: String, to target: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try manager.subpathsOfDirectory(atPath: folder).sorted() {
            var isFolder: ObjCBool = false
            _ = manager.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            if isFolder.boolValue {
                try manager.createDirectory(atPath: target + "/" + name, withIntermediateDirectories: true)
            } else {
                try Data(contentsOf: URL(filePath: folder + "/" + name))
                    .write(to: URL(filePath: target + "/" + name))
            }
        }
    }

    private static func fill(_ client: Maildir, _ mailbox: String, from folder: String) throws {
        let name = mailbox == "INBOX" ? MailboxName.inbox : MailboxName(mailbox)
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where file.hasSuffix(".eml") {
            let words = file.split(separator: ".").map(String.init)
            let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/" + file)))
            let flags = words.count > 2 ? flags(words[words.count - 2]) : []
            let date = MIMEParser.parse(bytes).envelope.date ?? Day.tuesday.time
            _ = try client.addMessage(
                to: name, message: bytes, flags: flags, unique: "\(date.seconds).\(words[0])", received: date)
        }
    }

    /// Sends the draft to Bob, as a mail program would, and delivers his answer on Wednesday.
    public func handOn() throws {
        let client = Maildir(root: root + "/Maildir", account: AccountID("work"))
        let drafts = root + "/Maildir/.Drafts/"
        let manager = FileManager.default
        for path in try ["cur/", "new/"].flatMap({ part in
            try manager.contentsOfDirectory(atPath: drafts + part).map { drafts + part + $0 }
        }) {
            let draft = Array(try Data(contentsOf: URL(filePath: path)))
            guard let id = MIMEParser.parse(draft).envelope.messageID else { continue }
            _ = try client.addMessage(
                to: MailboxName("Sent"), message: draft, flags: [.seen], unique: "1773150000.sent",
                received: Day.tuesday.time + 3_600)
            try manager.removeItem(atPath: path)
            _ = try client.addMessage(
                to: .inbox, message: Array(Self.answer(to: id).utf8), flags: [], unique: "1773220000.answer",
                received: Day.tuesday.time + 86_400)
        }
    }

    private static func answer(to id: MessageID) -> String {
        """
        Received: from mail.acme.example by mx.acme.example; Wed, 11 Mar 2026 08:30:00 +0100
        From: Bob Singh <bob@acme.example>
        To: Ana Ruiz <ana@acme.example>
        Subject: Re: Fwd: Cannot log in
        Date: Wed, 11 Mar 2026 08:30:00 +0100
        Message-ID: <0311-log-in@acme.example>
        In-Reply-To: <\(id.rawValue)>
        References: <\(id.rawValue)>

        His account was locked. He can log in again. Will you tell him?

        """
    }

    private static func flags(_ letters: String) -> Set<Flag> {
        var flags: Set<Flag> = []
        if letters.contains("S") { flags.insert(.seen) }
        if letters.contains("R") { flags.insert(.answered) }
        if letters.contains("F") { flags.insert(.flagged) }
        return flags
    }
}

/// The location of the sample mailbox and the starter rules: beside an installed `opus`, or in the source
/// tree.
public struct ShareFolder: Sendable {
    public let mail: String
    public let rules: String

    /// `$OPUS_SHARE`, then `../share/opus` relative to the program, then the source tree from which the
    /// program was built.
    public static func locate(program: String, environment: [String: String]) -> ShareFolder? {
        let manager = FileManager.default
        let resolved = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent()
        var candidates: [ShareFolder] = []
        if let share = environment["OPUS_SHARE"] { candidates.append(installed(share)) }
        candidates.append(installed(resolved.deletingLastPathComponent().appending(path: "share/opus").path))
        var folder = resolved
        for _ in 0..<6 {
            candidates.append(
                ShareFolder(mail: folder.path + "/Sources/opus/DemoMail", rules: folder.path + "/rules"))
            folder = folder.deletingLastPathComponent()
        }
        return candidates.first {
            manager.fileExists(atPath: $0.mail) && manager.fileExists(atPath: $0.rules)
        }
    }

    private static func installed(_ share: String) -> ShareFolder {
        ShareFolder(mail: share + "/demo", rules: share + "/rules")
    }
}
