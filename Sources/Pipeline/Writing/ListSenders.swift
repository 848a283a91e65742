import MIMEParser
import MailStore
public import Models

/// Senders of lists and newsletters, and whether they stop after the user unsubscribed.
public struct ListSenders: Sendable {
    let accounts: AccountAccess
    let store: Store
    let traces: MailTraces
    let list: UnsubscribedList
    let clock: SessionClock

    /// A sender whose newest message contains a way to unsubscribe.
    public struct Sender: Sendable {
        public var account: AccountID
        public var volume: SenderVolume
        public var shortID: String
        /// The best way to unsubscribe.
        public var way: ListUnsubscribe.Way
        /// Whom an unsubscription asks to stop: the discussion list of the newest message, or the sender.
        public var asked: String
        public var unsubscribedAt: Timestamp?
    }

    /// A sender who still writes after the user unsubscribed.
    public struct Persistent: Equatable, Sendable {
        public var account: AccountID
        public var address: String
        public var unsubscribedAt: Timestamp
        /// The number of messages since the sender should have stopped.
        public var messages: Int
        /// The short id of the newest of them.
        public var shortID: String
    }

    /// The time that senders have to stop. In seconds.
    static let patience: Int64 = 10 * 86_400
    /// opus checks at most this many senders, those with the most mail.
    private static let mostSenders = 500

    /// Sorted by the amount of mail. Only senders whose newest message contains a way to unsubscribe.
    public func byVolume(account name: String?) throws -> [Sender] {
        try accounts.ids(named: name).flatMap { id -> [Sender] in
            let done = Dictionary(try asked(of: id).map { ($0.sender, $0.at) }, uniquingKeysWith: { $1 })
            let volumes = try store.senders.volumes(account: id).prefix(Self.mostSenders)
            let ids = try store.messages.shortPrefix(of: volumes.map(\.newest))
            return try volumes.compactMap { volume in
                guard let stored = try store.messages.detail(of: volume.newest),
                    let way = ListUnsubscribe(MIMEParser.parse(stored.headerBlock)).ways.first
                else { return nil }
                let asked = (AskedToStop.address(stored) ?? volume.address).comparable
                return Sender(
                    account: id, volume: volume, shortID: ids[volume.newest] ?? volume.newest.rawValue,
                    way: way, asked: asked, unsubscribedAt: done[asked])
            }
        }.sorted { ($1.volume.messages, $0.shortID) < ($0.volume.messages, $1.shortID) }
    }

    /// Remembers an unsubscription from the list or the sender of a message. `mail`: the mail that requests it, once it
    /// is sent.
    func note(_ message: StoredMessage, _ way: ListUnsubscribe.Way, mail: MessageID?) throws {
        guard let sender = AskedToStop.address(message) else { return }
        let one = Unsubscription(
            account: message.account, sender: sender.comparable, at: clock.now, way: way.word, mail: mail)
        try store.senders.note(one)
        list.note(one)
    }

    /// Call before the request over HTTPS: if opus is killed before it notes the answer, the next command knows that the
    /// request may have reached the server. `again`: also if an earlier request still has time to be effective.
    ///
    /// Returns what was noted before, and whether the request may be sent: another process may have begun one just now.
    func begin(_ message: StoredMessage, again: Bool) throws -> (earlier: Unsubscription?, mayBegin: Bool) {
        guard let sender = AskedToStop.address(message)?.comparable else { return (nil, true) }
        let (earlier, isNoted) = try store.senders.begin(
            Unsubscription(
                account: message.account, sender: sender, at: clock.now, way: Unsubscription.begun),
            unlessSince: again ? nil : clock.now - Self.patience)
        return (earlier, isNoted)
    }

    /// The request did not reach the server.
    func takeBack(_ message: StoredMessage, _ earlier: Unsubscription?) throws {
        guard let sender = AskedToStop.address(message)?.comparable else { return }
        if let earlier { return try store.senders.note(earlier) }
        try store.senders.forgetUnsubscription(from: sender, account: message.account)
    }

    /// When a request over HTTPS began whose answer is not known, if the ten days are not over.
    func begunAt(_ message: StoredMessage) throws -> Timestamp? {
        guard let sender = AskedToStop.address(message)?.comparable else { return nil }
        return try store.senders.unsubscriptions(of: message.account).last {
            $0.sender == sender && $0.isBegun && clock.now < $0.at + Self.patience
        }?.at
    }

    /// What the store knows, and what the list of the workspace knows since before the store was lost, or from another
    /// machine.
    private func noted(_ id: AccountID) throws -> [Unsubscription] {
        let known = try store.senders.unsubscriptions(of: id).filter { !$0.isBegun }
        let senders = Set(known.map(\.sender))
        return known + list.all(of: id).filter { !senders.contains($0.sender) }
    }

    /// When the user unsubscribed from the sender of a message, while the sender still has time to stop.
    func askedAt(_ message: StoredMessage) throws -> Timestamp? {
        guard let sender = AskedToStop.address(message)?.comparable else { return nil }
        return try asked(of: message.account).last {
            $0.sender == sender && clock.now < $0.at + Self.patience
        }?.at
    }

    /// The mail that will ask the sender of a message to stop: a draft, or a mail in the outbox.
    func openMail(_ message: StoredMessage) throws -> MailTraces.Trace? {
        guard let sender = AskedToStop.address(message)?.comparable else { return nil }
        let last = try noted(message.account).last { $0.sender == sender }
        guard let mail = last?.mail, let trace = try traces.trace(of: mail, account: message.account)
        else { return nil }
        return switch trace {
        case .draft, .sending: trace
        case .sent, .discarded: nil
        }
    }

    /// The senders that were asked to stop, and when. A request by mail counts from the time when it was sent.
    private func asked(of id: AccountID) throws -> [Unsubscription] {
        try noted(id).compactMap { one in
            guard let mail = one.mail else { return one }
            guard let sent = try traces.departure(of: mail, id) else { return nil }
            var one = one
            one.at = sent
            return one
        }
    }

    /// Senders and lists that still write ten days after the user unsubscribed.
    func persistent(_ id: AccountID, at now: Timestamp) throws -> [Persistent] {
        let late = try asked(of: id).filter { $0.at + Self.patience <= now }
        guard let first = late.map(\.at).min() else { return [] }
        let mail = try store.senders.mail(
            fromOrTo: Set(late.map(\.sender)), account: id, since: first + Self.patience)
        return try late.compactMap { one in
            let limit = one.at + Self.patience
            let messages = try (mail[one.sender] ?? []).filter { $0.at > limit }
                .suffix(Self.mostMessages).map(\.message)
                .filter { message in
                    try store.messages.detail(of: message).flatMap { AskedToStop.address($0)?.comparable }
                        == one.sender
                }
            guard let newest = messages.last else { return nil }
            let short = try store.messages.shortPrefix(of: [newest])[newest]
            return Persistent(
                account: id, address: one.sender, unsubscribedAt: one.at, messages: messages.count,
                shortID: short ?? newest.rawValue)
        }
    }

    /// opus counts at most this many messages of one sender, the newest.
    private static let mostMessages = 1_000
}

extension ListUnsubscribe.Way {
    /// `post`, `mail` or `page`.
    public var word: String {
        switch self {
        case .post: "post"
        case .mail: "mail"
        case .page: "page"
        }
    }
}
