import Accounts
public import Inspection
import MIMEParser
import MailStore
public import Models

/// One message in full.
public struct MessageView: Sendable {
    public var line: MessageLine
    public var mailboxes: [String]
    public var headers: [HeaderField]
    public var text: String
    /// Open and closed tasks of the conversation.
    public var tasks: [TodoFile]
    /// Facts from the header; the others need the whole message.
    public var facts: [FactLine]
    /// The store has only the beginning of the text.
    public var isTruncated: Bool
}

extension Messages {
    /// One message with its header, its text and its tasks.
    public func view(_ typed: String) throws -> MessageView {
        let detail = try lookup.message(typed)
        let line = try line(of: detail)
        return MessageView(
            line: line, mailboxes: detail.places.map(\.mailbox.displayName),
            headers: HeaderBlock.fields(of: detail.headerBlock), text: detail.text,
            tasks: try taskMail.tasks(ofThread: detail.thread),
            facts: FactLine.protection(
                MIMEParser.parse(Array(detail.headerBlock)).protection, detail.signature),
            isTruncated: detail.isTruncated)
    }

    /// The message's bytes, read from the account.
    public func raw(_ typed: String) async throws -> [UInt8] { try await originals.bytes(ofTyped: typed) }

    /// The whole message, including the parts that the store does not keep.
    public func opened(_ typed: String) async throws -> OpenMessage {
        OpenMessage(try await raw(typed), name: typed)
    }

    private func line(of detail: StoredMessage) throws -> MessageLine {
        let account = try accounts.require(detail.account)
        let all = try loader.facts(.ids([detail.id]), needs: [])
        if let line = try lines.of(Array(all.prefix(1)), account: account).first { return line }
        return try lines.of([MessageFacts(withoutPlace: detail)], account: account)[0]
    }
}
