import DialectServer
import Foundation

/// What a harness asks for.
struct Request: Decodable {
    struct Letter: Decodable {
        var mailbox: String
        var flags: [String]
        /// Base64.
        var bytes: String
    }

    /// `deliver`, `create`, `state`, `keep`, `restore`, `arm-imap`, `arm-smtp`, `disarm`, `clear`, `refuse`.
    var ask: String
    var letters: [Letter]?
    var name: String?
    /// A command, or a place in a submission.
    var at: String?
    /// How it ends: ``Cut/Ending``, or a reply.
    var effect: String?
    var octets: Int?
    var skipping: Int?
    var count: Int?
}

/// The commands that it accepts.
struct Answer: Encodable {
    struct Held: Encodable {
        var mailbox: String
        var uid: UInt32
        var flags: [String]
        var messageID: String
        var subject: String
    }

    struct Sent: Encodable {
        var messageID: String
        var subject: String
        var sender: String
        var recipients: [String]
    }

    var error: String?
    var messages: [Held]?
    /// Mailboxes with UIDVALIDITY, UIDNEXT and HIGHESTMODSEQ: equal means that nothing changed.
    var mailboxes: [String: [UInt64]]?
    var deliveries: [Sent]?
    var commands: [String]?
    var violations: [String]?
}

/// Carries out what a harness asks for.
struct ControlDesk {
    let imap: DialectServer
    let smtp: SubmissionServer
    private var kept: [String: MailModel] = [:]

    init(imap: DialectServer, smtp: SubmissionServer) {
        self.imap = imap
        self.smtp = smtp
    }

    mutating func answer(_ request: Request) throws -> Answer {
        switch request.ask {
        case "state": return state()
        case "deliver":
            let letters = request.letters ?? []
            imap.act { model in
                for letter in letters {
                    guard let data = Data(base64Encoded: letter.bytes) else { continue }
                    model.deliver(Array(data), to: letter.mailbox, flags: Set(letter.flags))
                }
            }
        case "create": imap.act { $0.create(request.name ?? "") }
        case "keep": kept[request.name ?? ""] = imap.model
        case "restore":
            guard let model = kept[request.name ?? ""] else { return Answer(error: "nothing of that name") }
            imap.hangUp()
            smtp.hangUp()
            imap.disarm()
            smtp.disarm()
            imap.act { $0 = model }
            smtp.deliveries = []
            imap.clearTranscript()
            smtp.clearTranscript()
        case "clear":
            imap.clearTranscript()
            smtp.clearTranscript()
        case "disarm":
            imap.disarm()
            smtp.disarm()
        case "refuse": smtp.refuse(request.name ?? "", request.effect ?? "550 5.1.1 nobody here")
        case "arm-imap": try armIMAP(request)
        case "arm-smtp": try armSMTP(request)
        default: return Answer(error: "cannot do \(request.ask)")
        }
        return Answer()
    }

    private func state() -> Answer {
        let model = imap.model
        var answer = Answer()
        answer.messages = model.mailboxes.flatMap { mailbox in
            mailbox.messages.map { message in
                let bytes = model.bytes(message)
                return Answer.Held(
                    mailbox: mailbox.name, uid: message.uid, flags: message.flags.sorted(),
                    messageID: Self.field("Message-ID", of: bytes), subject: Self.field("Subject", of: bytes))
            }
        }
        answer.mailboxes = Dictionary(
            uniqueKeysWithValues: model.mailboxes.map {
                ($0.name, [UInt64($0.uidValidity), UInt64($0.uidNext), $0.highestModSeq])
            })
        answer.deliveries = smtp.deliveries.map {
            Answer.Sent(
                messageID: Self.field("Message-ID", of: $0.bytes),
                subject: Self.field("Subject", of: $0.bytes),
                sender: $0.sender, recipients: $0.recipients)
        }
        answer.commands = imap.transcript.map { "\($0.name) \($0.rest.prefix(200))" } + smtp.transcript
        answer.violations = imap.violations + smtp.violations
        return answer
    }

    private func armIMAP(_ request: Request) throws {
        guard let ending = request.effect.flatMap(Cut.Ending.init(rawValue:)) else { throw Unknown() }
        let places: [String: Cut.Place] = [
            "before": .beforeDoing, "done": .afterDoing, "octets": .afterOctets(request.octets ?? 0),
            "literal": .insideLiteral, "untagged": .afterUntagged, "tagged": .afterTagged,
        ]
        guard let place = places[request.name ?? "before"] else { throw Unknown() }
        imap.arm(
            Fault(
                .cut(Cut(place, ending)), at: request.at, skipping: request.skipping ?? 0,
                count: request.count ?? 1))
    }

    private func armSMTP(_ request: Request) throws {
        let places: [String: SubmissionFault.Place] = [
            "greeting": .greeting, "ehlo": .ehlo, "auth": .auth, "mail": .mail, "rcpt": .rcpt, "data": .data,
            "go": .go, "body": .body(request.octets ?? 0), "dot": .dot, "stored": .stored, "reply": .reply,
            "answered": .answered, "quit": .quit,
        ]
        guard let place = request.at.flatMap({ places[$0] }), let words = request.effect else {
            throw Unknown()
        }
        let effects: [String: SubmissionFault.Effect] = [
            "close": .close, "reset": .reset, "stall": .stall, "garbage": .garbage,
        ]
        smtp.arm(
            SubmissionFault(
                effects[words] ?? .say(words), at: place, skipping: request.skipping ?? 0,
                count: request.count ?? 1))
    }

    struct Unknown: Error {}

    /// A header field; folded ones up to their first line end.
    private static func field(_ name: String, of bytes: [UInt8]) -> String {
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let text = String(decoding: line, as: UTF8.self).filter { $0 != "\r" && $0 != "\r\n" }
            if text.isEmpty { return "" }
            guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == name.lowercased()
            else {
                continue
            }
            return text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return ""
    }
}
