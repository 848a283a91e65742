import Foundation
import MaildirClient
import Models

@testable import Pipeline

/// Mail that is written and sent: a program that keeps what it sends, whole messages, and the words of commands.
extension Workplace {
    /// A mail that left, as the program of ``sendsMail(_:)`` got it.
    struct Departure: Equatable {
        var sender: String
        var recipients: [String]
        var text: String
    }

    /// Lets the account send with a program that keeps each mail and ends with these words of shell. A shell reads it: a
    /// file that was just written cannot always be executed while other threads start programs.
    func sendsMail(_ end: String = "exit 0") throws {
        try write(
            """
            name='\(root)/sent/'$(date +%s%N)
            printf '%s\\n' "$@" > "$name.words"
            cat > "$name.eml"
            \(end)

            """, to: "bin/sendmail")
        try FileManager.default.createDirectory(atPath: root + "/sent", withIntermediateDirectories: true)
        let settings = try read("opus.yaml")
        guard !settings.contains("sendmail:") else { return }
        try write(
            settings.replacing(
                "maildir: Maildir\n",
                with: "maildir: Maildir\n    sendmail: [ /bin/sh, \(root)/bin/sendmail ]\n"),
            to: "opus.yaml")
    }

    /// What left, oldest first.
    func departures() throws -> [Departure] {
        let names = try FileManager.default.contentsOfDirectory(atPath: root + "/sent").sorted()
        return try names.filter { $0.hasSuffix(".words") }.map { name in
            let words = try read("sent/" + name).split(separator: "\n").map(String.init)
            let sender = words.firstIndex(of: "-f").map { words[$0 + 1] } ?? ""
            let recipients = words.firstIndex(of: "--").map { Array(words[($0 + 1)...]) } ?? []
            return Departure(
                sender: sender, recipients: recipients,
                text: try read("sent/" + name.dropLast("words".count) + "eml"))
        }
    }

    /// Adds a line to the settings of the workspace.
    func configure(_ line: String) throws { try write(try read("opus.yaml") + line + "\n", to: "opus.yaml") }

    /// Puts a whole message into a mailbox.
    func put(
        _ name: String, _ message: String, flags: Set<Flag> = [], in mailbox: MailboxName = .inbox,
        received: Timestamp = tuesday - 3_600
    ) throws {
        let text = message.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        _ = try client.addMessage(
            to: mailbox, message: Array(text.utf8), flags: flags, unique: "100." + name, received: received)
    }

    /// The messages of a mailbox; none where there is no such mailbox.
    func texts(_ mailbox: String) throws -> [String] {
        let name = MailboxName(mailbox)
        guard try client.mailboxes().contains(where: { $0.name == name }) else { return [] }
        return try client.list(name).filter { !Self.isDeferredList($0.unique) }.map {
            String(decoding: try client.read(name, unique: $0.unique, limit: 1 << 22), as: UTF8.self)
        }
    }

    /// What another program does with a draft in the Drafts mailbox: saves it with other words, beside the version that
    /// is there or in its place.
    func saveElsewhere(_ old: String, _ new: String, as name: String, isBeside: Bool = false) throws {
        let drafts = MailboxName("Drafts")
        for entry in try client.list(drafts) {
            let text = String(
                decoding: try client.read(drafts, unique: entry.unique, limit: 1 << 22), as: UTF8.self)
            guard text.contains(old) else { continue }
            try put(name, text.replacing(old, with: new), flags: [.draft], in: drafts)
            if !isBeside { try client.remove(drafts, unique: entry.unique) }
        }
    }
}

extension Session {
    /// What `opus compose`, `opus reply` and `opus forward` begin, saved.
    func written(
        _ purpose: MailWish.Purpose = .new, to: [String] = ["bob@acme.example"],
        _ change: (inout MailWish) -> Void = { _ in }
    ) async throws -> OpenDraft {
        var wish = MailWish(purpose)
        wish.to = to
        wish.body = "Hello.\n"
        change(&wish)
        return try drafts.keep(try await composing.compose(wish))
    }

    /// What `opus send` does.
    @discardableResult
    func send(_ drafts: OpenDraft..., hold: Int = 0) async throws -> OutboxRound {
        _ = try sending.queue(try drafts.map { try sending.preview($0.stored) }, hold: hold)
        return try await outboxDelivery.deliver(account: nil)
    }

    /// The id of the message with this subject, in any mailbox.
    func id(of subject: String) throws -> String {
        let lines = try messages.list(account: nil, folder: nil, everywhere: true, matching: nil)
        guard let line = lines.first(where: { $0.facts.subject == subject }) else {
            throw Problem("no-such-message", exit: .notFound, message: "no message is called \(subject)")
        }
        return line.shortID
    }
}
