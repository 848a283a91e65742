/// A made-up inbox, written straight into a store: no server, no parser, the same messages for the same number.
///
/// Senders, lists and robots as in `corpus.py`: two thirds are written by programs, the rest by people in conversations.
import MailStore
import Models

struct Corpus {
    static let account = AccountID("bench")
    static let newest = Timestamp(seconds: 1_773_126_000)

    private var random = SplitMix(state: 7)
    private let words: [String]
    private var threads: [(id: ThreadID, subject: String, reference: MessageID)] = []

    static let letters = [
        "daily-digest", "shopfront", "travelmail", "techweekly", "recipes", "bookclub", "financebrief",
        "gamesdeals",
        "localnews", "fitlife",
    ]
    static let robots = ["forge", "ci", "bank", "parcel", "calendar", "monitor", "social"]
    static let lists = ["dev", "users", "announce"]

    init() {
        let syllables = ["ba", "de", "ki", "lo", "mi", "na", "po", "ra", "se", "ti", "vo", "zu"]
        words = (0..<4_000).map { number in
            (0..<(2 + number % 3)).map { syllables[(number / (1 + 7 * $0)) % syllables.count] }.joined()
        }
    }

    /// A store with so many messages in the inbox, and a few that were sent.
    static func write(_ count: Int, to path: String) throws {
        let store = try Store.open(path: path)
        let inbox = Mailbox(
            account: account, name: .inbox, displayName: "INBOX", delimiter: "/", role: .inbox)
        let others = ["Archive", "Sent", "Trash", "Junk"].map {
            Mailbox(
                account: account, name: MailboxName($0), displayName: $0, delimiter: "/",
                role: MailboxRole(rawValue: $0.lowercased()))
        }
        let sorted = (letters + robots + ["vendor"]).map {
            Mailbox(
                account: account, name: MailboxName("Sorted-" + $0), displayName: "Sorted-" + $0,
                delimiter: "/")
        }
        try store.sync.saveMailboxes([inbox] + others + sorted, of: account)
        var corpus = Corpus()
        for start in stride(from: 0, to: count, by: 2_000) {
            let end = min(start + 2_000, count)
            var batch = SyncBatch(account: account, mailbox: .inbox, uidValidity: 1)
            batch.added = (start..<end).map { corpus.message($0, of: count) }
            if end == count {
                batch.state = MailboxSyncState(
                    uidValidity: 1, uidNext: UInt32(count) + 1, exists: count, syncedAt: newest)
            }
            _ = try store.sync.apply(batch)
        }
        store.close()
    }

    private mutating func message(_ number: Int, of count: Int) -> NewMessage {
        let time = Self.newest - Int64((count - number) * (31_536_000 / max(count, 1)))
        let hash = identity(number)
        var message = NewMessage(
            uid: UInt32(number + 1), id: EmailID(rawValue: hash), fingerprint: hash + hash,
            thread: ThreadID(rawValue: hash), received: time + 30, size: 2_000 + random.below(30_000))
        message.sent = time
        message.messageID = MessageID("\(hash).\(number)@mail.example")
        message.to = [EmailAddress(displayName: "Ana Ruiz", localPart: "ana", domain: "acme.example")]
        message.flags = [[], [.seen], [.seen], [.seen, .answered]][random.below(4)]
        var fields = ""
        switch random.below(100) {
        case ..<22: fields = letter(&message)
        case ..<42: robot(&message, number)
        case ..<62: fields = list(&message)
        case ..<67: invoice(&message, number)
        case _: person(&message)
        }
        message.headerBlock = Array(header(message, fields).utf8)
        message.text = text(20 + random.below(300))
        message.references = message.messageID.map { [$0] } ?? []
        return message
    }

    // MARK: Kinds

    private mutating func letter(_ message: inout NewMessage) -> String {
        let name = Self.letters[random.below(Self.letters.count)]
        message.from = [EmailAddress(displayName: name, localPart: "news", domain: name + ".example")]
        message.subject = text(6)
        return "List-Id: <news.\(name).example>\r\nList-Unsubscribe: <https://\(name).example/u/1>\r\n"
            + "Precedence: bulk\r\n"
    }

    private mutating func robot(_ message: inout NewMessage, _ number: Int) {
        let name = Self.robots[random.below(Self.robots.count)]
        message.from = [EmailAddress(displayName: name, localPart: "no-reply", domain: name + ".example")]
        message.subject = "[\(name)] \(text(4)) #\(number)"
    }

    private mutating func list(_ message: inout NewMessage) -> String {
        let name = Self.lists[random.below(Self.lists.count)]
        message.to = [EmailAddress(localPart: name, domain: "lists.example")]
        conversation(&message, prefix: "[\(name)] ")
        return "List-Id: <\(name).lists.example>\r\nPrecedence: list\r\n"
    }

    private mutating func invoice(_ message: inout NewMessage, _ number: Int) {
        message.from = [
            EmailAddress(displayName: "Vendor Billing", localPart: "billing", domain: "vendor.example")
        ]
        message.subject = "Invoice INV-\(1_000 + number)"
        message.attachments = [
            Attachment(
                name: "INV-\(1_000 + number).pdf", contentType: "application/pdf", size: 40_000, section: "2")
        ]
    }

    private mutating func person(_ message: inout NewMessage) { conversation(&message, prefix: "") }

    private mutating func conversation(_ message: inout NewMessage, prefix: String) {
        let first = words[random.below(40)]
        let last = words[random.below(60) + 100]
        let domain = ["example.com", "uni.example", "firma.example"][random.below(3)]
        message.from = [
            EmailAddress(displayName: "\(first) \(last)", localPart: "\(first).\(last)", domain: domain)
        ]
        if !threads.isEmpty, random.below(10) < 6 {
            let recent = threads.suffix(500)
            let thread = recent[recent.startIndex + random.below(recent.count)]
            message.thread = thread.id
            message.subject = "Re: " + thread.subject
        } else {
            message.subject = prefix + text(5)
            if let id = message.messageID { threads.append((message.thread, message.subject, id)) }
        }
    }

    // MARK: Pieces

    private func header(_ message: NewMessage, _ fields: String) -> String {
        let from = message.from.first?.description ?? ""
        let domain = message.from.first?.domain ?? ""
        let signature = String(repeating: "Kx7dQ2mW9z", count: 7)
        return "Return-Path: <bounce@\(domain)>\r\nDelivered-To: ana@acme.example\r\n"
            + "Received: from mx.\(domain) (mx.\(domain) [192.0.2.7])\r\n\tby mx.acme.example (Postfix) with ESMTPS\r\n"
            + "\tfor <ana@acme.example>; Tue, 10 Mar 2026 08:00:00 +0100\r\n"
            + "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=\(domain); s=s1;\r\n\tbh=\(signature);\r\n"
            + "\tb=\(signature)\r\n\t \(signature)\r\nFrom: \(from)\r\n"
            + "To: \(message.to.first?.description ?? "")\r\nSubject: \(message.subject)\r\n"
            + "Message-ID: <\(message.messageID?.rawValue ?? "")>\r\n" + fields
            + "Date: Tue, 10 Mar 2026 08:00:00 +0100\r\nMIME-Version: 1.0\r\n"
            + "Content-Type: text/plain; charset=utf-8\r\n\r\n"
    }

    private mutating func text(_ count: Int) -> String {
        (0..<count).map { _ in words[min(random.below(words.count), random.below(words.count))] }
            .joined(separator: " ")
    }

    private mutating func identity(_ number: Int) -> String {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String((0..<26).map { _ in alphabet[random.below(32)] })
    }
}

struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(next() % UInt64(limit)) : 0 }
}
