import Crypto
import MIMEParser
import Models

/// The message in the deferred mailbox with the dates of the others: as text for users, and as JSON for opus.
struct DeferredListMail {
    let address: EmailAddress
    let now: Timestamp
    let zone: ZoneClock

    private static let field = "X-Opus-Deferred"
    private static let tokenPrefix = "opus-deferred."
    private static let fileName = "deferred.json"
    /// A longer list shows users only the messages that come back first.
    private static let mostShown = 200

    /// The header fields that tell mail from a list.
    static let headerNames: Set<String> = [field.lowercased(), "received"]

    /// Whether a message with such a Message-ID may be a list. One that arrived by mail is not: anyone may have written it.
    static func isList(_ headers: [HeaderField]) -> Bool {
        let names = Set(headers.map { $0.name.lowercased() })
        return names.contains(field.lowercased()) && !names.contains("received")
    }

    /// Whether a message may be a list, by its Message-ID. Only its content shows whether it is one.
    static func isToken(_ id: MessageID?) -> Bool { id?.rawValue.hasPrefix(tokenPrefix) ?? false }

    /// - Throws: `BuilderError` if the account's address cannot be written into a header.
    func write(_ entries: DeferredEntries) throws -> (message: [UInt8], token: MessageID, content: [UInt8]) {
        let json = try entries.json()
        let digest = Hex.encode(SHA256.hash(json + Array(now.rfc3339.utf8)))
        let domain = InternationalDomain.toASCII(address.domain) ?? address.domain
        let token = MessageID("\(Self.tokenPrefix)\(digest.prefix(24))@\(domain)")
        var builder = MessageBuilder(
            from: address, to: [address], subject: "Deferred mail: when it comes back", text: text(entries),
            date: now, messageID: token)
        builder.zoneOffsetSeconds = zone.offset(at: now)
        builder.isFlowed = false
        builder.autoSubmitted = .generated
        builder.extraHeaders = [HeaderField(name: Self.field, body: "1")]
        builder.files = [.init(name: Self.fileName, contentType: "application/json", bytes: json)]
        return (try builder.build(), token, json)
    }

    /// The machine-readable part; nil: the message is not a list, or it arrived by mail, so anyone may have
    /// written it.
    static func content(of message: [UInt8]) -> [UInt8]? {
        let parsed = MIMEParser.parse(message)
        guard !parsed.rawHeader(field).isEmpty, parsed.rawHeader("Received").isEmpty,
            let file = parsed.attachments.first(where: { $0.name == fileName }),
            let json = parsed.decodedBody(section: file.section), DeferredEntries(json: json) != nil
        else { return nil }
        return json
    }

    private func text(_ list: DeferredEntries) -> String {
        var lines = [
            "These messages come back to your inbox:", "",
        ]
        let waiting = list.entries.filter { $0.isBack != true }
        lines += shown(waiting)
        let back = list.entries.filter { $0.isBack == true }
        if !back.isEmpty {
            lines += ["", "These are back in your inbox, and no rule defers them again:", ""]
            lines += shown(back)
        }
        lines += [
            "",
            "opus keeps this list here so that the dates survive the loss of a computer. Move a message out of this "
                + "mailbox, and it does not come back. If you delete the list, opus writes it again.",
            "",
        ]
        return lines.joined(separator: "\n")
    }

    private func shown(_ entries: [DeferredEntry]) -> [String] {
        let rest = entries.count - Self.mostShown
        return entries.isEmpty
            ? ["(none)"]
            : entries.prefix(Self.mostShown).map(line) + (rest > 0 ? ["and \(counted(rest, "other"))"] : [])
    }

    private func line(_ entry: DeferredEntry) -> String {
        let subject = HeaderText.clean(entry.subject)
        let from = HeaderText.clean(entry.from)
        let name = "\(subject.isEmpty ? "(no subject)" : subject) (\(from))"
        guard entry.isBack != true else { return name }
        let when = entry.until.time.map { time in
            let local = zone.local(time)
            return "\(local.date) \(local.clock.prefix(5))"
        }
        return "\(when ?? "someday         ")  \(name)"
    }
}
