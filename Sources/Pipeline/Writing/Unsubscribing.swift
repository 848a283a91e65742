import Accounts
import Crypto
public import HTTPClient
import Logging
import MIMEParser
import MailStore
public import Models
import Transport

/// Unsubscribes from mailing lists, only when the user requests it: every way tells the sender that the
/// address is in use.
public struct Unsubscribing: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let lookup: MessageLookup
    let senders: ListSenders
    let drafts: Drafts
    let clock: SessionClock
    let logger: Logger

    public func plan(_ typed: String) throws -> UnsubscribePlan {
        let stored = try lookup.message(typed)
        let header = MIMEParser.parse(stored.headerBlock)
        let list = ListUnsubscribe(header)
        var warnings = list.refused.map { "not used: \($0)" }
        guard let way = list.ways.first else {
            let reason =
                header.header("List-Unsubscribe").isEmpty
                ? "it has no List-Unsubscribe" : "its List-Unsubscribe has no address in angle brackets"
            throw Problem(
                "no-unsubscribe", exit: .notFound,
                message: list.refused.isEmpty
                    ? "the message does not offer a way to unsubscribe (\(reason))"
                    : "the message does not offer a safe way to unsubscribe",
                details: warnings, next: ["opus show \(typed) --headers", "opus junk \(typed)"])
        }
        switch way {
        case .post(let address):
            if let words = UnsubscribeWords.stranger(address.host, of: header) { warnings.append(words) }
            warnings.append(
                list.isSigned
                    ? "the sender's domain signed this address (DKIM); the signature was not verified here"
                    : "no signature covers this address: the sender of the message may have made it up")
        case .mail(let to, subject: _, body: _):
            let domain = to.split(separator: "@").last.map(String.init) ?? to
            if let words = UnsubscribeWords.stranger(domain, of: header) { warnings.append(words) }
        case .page(let address):
            throw Problem(
                "needs-browser", exit: .notFound, message: "the list offers only a web page to unsubscribe",
                details: [address], next: ["open the address in a browser, if you trust it"])
        }
        return UnsubscribePlan(way: way, warnings: warnings, message: stored)
    }

    /// When the user unsubscribed before, if the ten days are not over.
    public func askedAt(_ plan: UnsubscribePlan) throws -> Timestamp? { try senders.askedAt(plan.message) }

    /// The mail that asks this sender to stop and was not sent yet: a draft to send, or one in the outbox.
    public func openMail(_ plan: UnsubscribePlan) throws -> OpenMail? {
        switch try senders.openMail(plan.message) {
        case .draft(let draft): .draft(try drafts.opened(draft))
        case .sending(let draft): .inOutbox(try drafts.shortName(of: draft))
        case .sent, .discarded, nil: nil
        }
    }

    public enum OpenMail: Sendable {
        case draft(OpenDraft)
        /// With its id.
        case inOutbox(String)
    }

    /// Remembers that the sender is asked to stop: if mail still comes after ten days, the briefing says so. `draft`: the mail
    /// that asks; the days count from the time when it is sent.
    public func note(_ plan: UnsubscribePlan, draft: OpenDraft? = nil) throws {
        try senders.note(plan.message, plan.way, mail: draft?.stored.messageID)
    }

    /// For each address, the newest message of that sender or list; message ids are kept.
    public func messages(_ words: [String], account: String?) throws -> [String] {
        guard words.contains(where: { $0.contains("@") }) else { return words }
        let known = try senders.byVolume(account: account)
        return try words.map { word in
            guard word.contains("@") else { return word }
            let address = word.lowercased()
            let found =
                known.first { $0.volume.address.comparable == address } ?? known.first { $0.asked == address }
            guard let sender = found else {
                throw Problem(
                    "no-such-sender", exit: .notFound,
                    message: "no mail of \(word) offers a way to unsubscribe",
                    next: ["opus unsubscribe --by-sender"])
            }
            return sender.volume.newest.rawValue
        }
    }

    /// Sends the one-click request and notes it. Throws if the server did not accept it, and if an earlier request may have
    /// reached it: `again` sends another one.
    public func post(
        _ address: WebAddress, _ plan: UnsubscribePlan, caFile: String?, again: Bool = false
    ) async throws {
        if !again, let begun = try senders.begunAt(plan.message) { throw Self.doubt(begun, plan, address) }
        let (earlier, mayBegin) = try senders.begin(plan.message, again: again)
        if !mayBegin, let earlier {
            guard earlier.isBegun else { return }
            throw Self.doubt(earlier.at, plan, address)
        }
        let status: Int
        do {
            status = try await OneClick(address: address, caFile: caFile, logger: logger).post()
        } catch {
            if error.isBeforeSending { try senders.takeBack(plan.message, earlier) }
            var problem = Problem(error)
            problem.next = ["try again later", "open \(address) in a browser, if you trust it"]
            throw problem
        }
        switch status {
        case 200..<300: return try note(plan)
        case 300..<400:
            try senders.takeBack(plan.message, earlier)
            throw Problem(
                "unsubscribe-refused", exit: .unavailable,
                message:
                    "\(address.host) answered \(status): it redirects the request, which opus does not follow",
                next: ["open \(address) in a browser, if you trust it"])
        case _:
            try senders.takeBack(plan.message, earlier)
            throw Problem(
                "unsubscribe-refused", exit: status >= 500 ? .temporary : .unavailable,
                message: "\(address.host) answered \(status): it may not have accepted the request",
                next: [status >= 500 ? "try again later" : "open \(address) in a browser, if you trust it"])
        }
    }

    private static func doubt(
        _ begun: Timestamp, _ plan: UnsubscribePlan, _ address: WebAddress
    ) -> Problem {
        let sender = plan.sender ?? "the sender"
        return Problem(
            "unsubscribe-unknown", exit: .temporary,
            message: "a request to unsubscribe from \(sender) of \(begun.rfc3339.prefix(10)) has no answer: "
                + "\(address.host) may have received it",
            next: ["wait whether mail still comes", "opus unsubscribe \(sender) --again"])
    }

    /// The mail that unsubscribes, as a draft from the address to which the list writes.
    public func draft(_ plan: UnsubscribePlan) throws -> OpenDraft? {
        guard case .mail(let to, let subject, let body) = plan.way else { return nil }
        let account = try accounts.require(plan.message.account)
        let from = OwnAddresses(workspace: workspace).reached(plan.message, account)
        let messageID = drafts.newMessageID(account)
        let builder = MessageBuilder(
            from: from, to: [EmailAddress(to)].compactMap(\.self), subject: subject, text: body,
            date: clock.now,
            messageID: messageID)
        return OpenDraft(
            stored: StoredDraft(account: account.id, messageID: messageID, savedAt: clock.now, content: []),
            builder: builder, account: account)
    }
}

extension HTTPFailure {
    /// Whether no byte of the request was sent.
    fileprivate var isBeforeSending: Bool {
        switch code {
        case .notEncrypted, .unsafeRequest: true
        case .timedOut, .tooLong, .notHTTP, .tooManyRedirects, .badRedirect, .cancelled: false
        case .transport(let error):
            switch error.code {
            case .unknownHost, .notThisMachine, .refused, .unreachable, .untrustedCertificate, .tlsFailed,
                .notTLS, .speaksTLS, .plaintextAfterStartTLS, .badCAFile, .timedOut(.connect),
                .timedOut(.tls):
                true
            case .timedOut, .closedByPeer, .reset, .networkChanged, .cancelled, .closed, .busy, .failed: false
            }
        }
    }
}
