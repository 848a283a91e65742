public import Accounts
import Crypto
import Foundation
public import MIMEParser
public import MailStore
public import Models

/// A draft that is being edited: its stored state, and the values of its message.
public struct OpenDraft: Sendable {
    public internal(set) var stored: StoredDraft
    public internal(set) var builder: MessageBuilder
    public internal(set) var account: Account
    /// When to ask again for the answer, as a date phrase; nil: no wait.
    public internal(set) var wait: String?
    /// The account whose Drafts mailbox still has an older version, because another `From` moved the draft.
    public internal(set) var leftAccount: AccountID?
    /// Recipients of the original to whom an answer to all cannot be written.
    public internal(set) var leftOut: [EmailAddress] = []

    public var accountID: AccountID { account.id }
    public var messageID: MessageID { stored.messageID }

    /// The text for an editor: the typed text if it could not be parsed, otherwise the message.
    public var text: String {
        stored.typed ?? DraftText.write(builder, files: builder.files.map(\.name), wait: wait)
    }

    /// The content of the next version. Each version has its own Message-ID, so that versions in the Drafts
    /// mailbox cannot be confused.
    func content(revision: Int, now: Timestamp, zone: ZoneClock) throws -> [UInt8] {
        var version = builder
        version.date = now
        version.zoneOffsetSeconds = zone.offset(at: now)
        version.messageID = Self.versionID(of: stored.messageID, revision)
        version.extraHeaders.removeAll {
            [MessageBuilder.draftField, MessageBuilder.waitField].contains($0.name)
        }
        version.extraHeaders.append(
            HeaderField(name: MessageBuilder.draftField, body: stored.messageID.rawValue))
        if let wait {
            version.extraHeaders.append(HeaderField(name: MessageBuilder.waitField, body: wait))
        }
        return try version.draft()
    }

    static func versionID(of draft: MessageID, _ revision: Int) -> MessageID {
        guard let at = draft.rawValue.lastIndex(of: "@") else { return draft }
        return MessageID("\(draft.rawValue[..<at]).draft\(revision)\(draft.rawValue[at...])")
    }

    /// The draft of a version; the Message-ID itself if it names no version.
    static func draft(ofVersion version: MessageID) -> MessageID {
        let parts = version.rawValue.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let mark = parts[0].range(of: ".draft", options: .backwards),
            !parts[0][mark.upperBound...].isEmpty, parts[0][mark.upperBound...].allSatisfy(\.isNumber)
        else { return version }
        return MessageID("\(parts[0][..<mark.lowerBound])@\(parts[1])")
    }

    /// Whether the step puts a version of this draft into the Drafts mailbox, or removes one.
    public func isChanged(by step: Step) -> Bool {
        guard let token = step.token else { return false }
        return token == stored.pushed?.token || Self.draft(ofVersion: token) == messageID
    }

    /// Applies the text that the user typed. Returns the errors; if there are any, nothing was applied.
    mutating func take(
        _ draft: DraftText, _ mistakes: [DraftText.Mistake], files: AttachedFiles, addresses: OwnAddresses,
        waits: DraftWaits
    ) -> [DraftText.Mistake] {
        var mistakes = mistakes
        var next = builder
        var account = self.account
        if let from = draft.from {
            do {
                let (writer, named) = try addresses.writer(from, near: account)
                // A reply from an address of another account stays where it is, unless the user chooses another From.
                if from.comparable != builder.from.comparable { account = writer }
                next.from = named
            } catch {
                mistakes.append(.init(line: draft.fromLine, message: Problem(error).message))
            }
        } else if !mistakes.contains(where: { $0.line == draft.fromLine }) {
            mistakes.append(
                .init(
                    line: max(1, draft.fromLine),
                    message: "the From line is missing; write one of your addresses"))
        }
        (next.to, next.cc, next.bcc, next.replyTo) = (draft.to, draft.cc, draft.bcc, draft.replyTo)
        (next.subject, next.text) = (draft.subject, draft.text)
        if let wait = draft.wait {
            do {
                _ = try waits.date(wait)
            } catch {
                mistakes.append(.init(line: draft.waitLine, message: Problem(error).message))
            }
        }
        next.files = []
        for attachment in draft.attachments {
            switch attachment {
            case .kept(let number, let name, let line):
                if let message = mistake(number, name) {
                    mistakes.append(.init(line: line, message: message))
                } else {
                    next.files.append(builder.files[number - 1])
                }
            case .file(let path, let line):
                do {
                    next.files.append(
                        try files.read(path, used: next.files.reduce(0) { $0 + $1.bytes.count }))
                } catch {
                    mistakes.append(.init(line: line, message: error.message))
                }
            }
        }
        mistakes.sort { $0.line < $1.line }
        guard mistakes.isEmpty else { return mistakes }
        next.text = Self.signed(
            next.text, instead: addresses.signature(writing: builder.from, near: self.account),
            addresses.signature(writing: next.from, near: account))
        builder = next
        wait = draft.wait
        self.account = account
        stored.account = account.id
        return []
    }

    /// Why the line does not name a file of the draft. Numbers change when a file is removed, so the name must match too.
    private func mistake(_ number: Int, _ name: String) -> String? {
        guard builder.files.indices.contains(number - 1) else {
            return "the draft has no file [\(number)]; write a path"
        }
        let file = DraftText.fileName(builder.files[number - 1].name)
        guard !name.isEmpty, name != file else { return nil }
        return "file [\(number)] of the draft is \(file), not \(name); write [\(number)] \(file), or a path"
    }

    /// Another From has another signature, if the text still ends with the old one, or has it above a forwarded message.
    private static func signed(_ text: String, instead old: String?, _ new: String?) -> String {
        guard old != new, let old else { return text }
        let forwarded = "\n\n" + MessageBuilder.forwardedMark
        if let place = text.firstRange(of: old + forwarded),
            place.lowerBound == text.startIndex || text[..<place.lowerBound].hasSuffix("\n")
        {
            return text.replacing(old + forwarded, with: (new ?? "") + forwarded, maxReplacements: 1)
        }
        let end = "-- \n" + old
        let trimmed = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard trimmed.hasSuffix("\n" + end) || trimmed == end else { return text }
        return String(trimmed.dropLast(end.count)) + (new.map { "-- \n\($0)\n" } ?? "")
    }
}
