public import MIMEParser
public import Models

/// Whether a program may reply to a message, or forward it, without a person in between.
///
/// Two programs that reply to each other never stop, and a list sends a reply to all its members. So one sign
/// is enough to refuse; if it is wrong, the only cost is a draft that the user sends. RFC 3834 §2, RFC 5230
/// §4.6.
public enum LoopGuard {
    /// The reasons to refuse, in the order of the checks.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        case noSender
        case ownAddress
        case ownLoopHeader
        case autoSubmitted(String)
        case suppressed
        case precedence(String)
        case list(String)
        case emptyReturnPath
        case report
        case robot(String)
        case noReply
        case tooManyHops(Int)

        public var description: String {
            switch self {
            case .noSender: "it names no sender"
            case .ownAddress: "the sender is you"
            case .ownLoopHeader: "opus has handled it before"
            case .autoSubmitted: "the message was sent by a program"
            case .suppressed: "it asks for no automatic answers"
            case .precedence(let word): "its precedence is \(word)"
            case .list: "the message came through a list"
            case .emptyReturnPath: "the message is a delivery report: its return path is empty"
            case .report: "the message is a delivery report"
            case .robot(let name): "the mail of \(name) is not read by a person"
            case .noReply: "the sender does not accept answers"
            case .tooManyHops(let count): "it passed \(count) servers"
            }
        }
    }

    /// The maximum number of servers that a mail may have passed; loops have more.
    static let mostHops = 25

    /// Why nothing may be sent automatically; nil: it may.
    ///
    /// - Parameters:
    ///   - facts: With their headers.
    ///   - own: The user's addresses.
    /// - Returns: The first sign, in the order of ``Reason``.
    public static func reason(against facts: MessageFacts, own: OwnAddressSet) -> Reason? {
        let headers = Headers(facts)
        // A reply goes to Reply-To.
        let senders = facts.from + facts.sender + facts.replyTo + headers.returnPath
        if facts.from.isEmpty { return .noSender }
        if facts.from.contains(where: { own.contains($0) }) { return .ownAddress }
        if headers.isOurs(own) { return .ownLoopHeader }
        if let word = headers.autoSubmitted { return .autoSubmitted(word) }
        if headers.suppressesAnswers { return .suppressed }
        if let word = headers.precedence { return .precedence(word) }
        if let name = headers.list { return .list(name) }
        if headers.hasEmptyReturnPath { return .emptyReturnPath }
        if headers.isReport { return .report }
        if senders.contains(where: isNoReply) { return .noReply }
        if let robot = senders.first(where: isRobot) { return .robot(robot.addrSpec) }
        if headers.hops >= mostHops { return .tooManyHops(headers.hops) }
        return nil
    }

    /// The envelope sender; nil if it has none.
    public static func envelopeSender(of facts: MessageFacts) -> EmailAddress? {
        Headers(facts).returnPath.first
    }

    /// Whether replies to the address are not read.
    private static func isNoReply(_ address: EmailAddress) -> Bool {
        let local = address.localPart.lowercased().filter { $0.isLetter || $0.isNumber }
        return ["noreply", "donotreply", "nepasrepondre", "nichtantworten"].contains { local.contains($0) }
    }

    /// Whether the address belongs to a program. RFC 5230 §4.6 names most of them.
    private static func isRobot(_ address: EmailAddress) -> Bool {
        let local = address.localPart.lowercased()
        if robots.contains(local) { return true }
        return ["owner-", "bounce-", "bounce+", "bounces-", "bounces+"].contains { local.hasPrefix($0) }
            || ["-request", "-owner", "-bounces", "-bounce", "-relay"].contains { local.hasSuffix($0) }
    }

    private static let robots: Set<String> = [
        "mailer-daemon", "mailerdaemon", "mail-daemon", "postmaster", "listserv", "majordomo", "mailman",
        "bounce",
        "bounces", "daemon", "root", "uucp", "news",
    ]

    /// The relevant header fields, read once.
    private struct Headers {
        private var fields: [String: [String]] = [:]

        init(_ facts: MessageFacts) {
            for field in facts.headers {
                fields[field.name.lowercased(), default: []].append(field.body.lowercased().trimmed)
            }
        }

        private func all(_ name: String) -> [String] { fields[name] ?? [] }

        /// The word before the parameters; only `no` means a person. RFC 3834 §5.
        var autoSubmitted: String? {
            all("auto-submitted").map { String($0.prefix { $0 != ";" && $0 != "(" }).trimmed }.first {
                !$0.isEmpty && $0 != "no"
            }
        }

        var suppressesAnswers: Bool {
            all("x-auto-response-suppress").contains { value in
                value.split { $0 == "," || $0 == " " }.contains { ["all", "oof", "autoreply"].contains($0) }
            }
        }

        var precedence: String? { all("precedence").first { ["bulk", "junk", "list"].contains($0) } }

        /// RFC 2369 and RFC 2919.
        var list: String? { fields.keys.sorted().first { $0.hasPrefix("list-") } }

        var hasEmptyReturnPath: Bool { all("return-path").contains { $0.filter { $0 != " " } == "<>" } }

        var returnPath: [EmailAddress] {
            all("return-path").compactMap { EmailAddress($0.filter { !"<> ".contains($0) }) }
        }

        var isReport: Bool { all("content-type").contains { $0.hasPrefix("multipart/report") } }

        var hops: Int { all("received").count }

        /// Whether the message has opus's mark, or the common older one, with one of the user's addresses.
        func isOurs(_ own: OwnAddressSet) -> Bool {
            if !all("x-opus-loop").isEmpty { return true }
            return (all("x-loop") + all("x-beenthere")).contains { own.isNamed(in: $0) }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        while text.last?.isWhitespace == true { text = text.dropLast() }
        return String(text)
    }
}
