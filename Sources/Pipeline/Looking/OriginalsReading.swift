import Accounts
import MailStore
import Models
import SyncEngine
import SyncPlanner

/// Reads several messages of one account as a whole.
///
/// A message at which the server hangs or drops the connection is set aside, so that the others are read. opus tries it
/// again after a while (``DoubtTable``).
struct OriginalsReading: Sendable {
    let connections: AccountConnections
    let store: Store
    let clock: SessionClock

    struct Result: Sendable {
        var bytes: [EmailID: [UInt8]] = [:]
        /// Why the other messages could not be read.
        var failures: [EmailID: Failure] = [:]
    }

    enum Failure: Sendable {
        /// The server answered without the message.
        case notReturned
        /// The server hung or dropped the connection, now or at an earlier attempt.
        case lost(isNew: Bool)
        /// It was not requested, because too many others failed.
        case notTried

        var reason: String {
            switch self {
            case .notReturned: "the server did not return this message"
            case .lost: "the server hangs or drops the connection at this message"
            case .notTried: "the server dropped too many connections before this message"
            }
        }

        /// Whether this run found out. What an earlier run found does not count as a failure of this one.
        var isNew: Bool {
            if case .lost(let isNew) = self { isNew } else { true }
        }
    }

    private static let mostLosses = 8
    private static let pause = Duration.milliseconds(300)
    /// How long the server may be silent at the second attempt.
    private static let patience = Duration.seconds(10)

    /// `isAsked`: also tries messages again whose time has not come.
    ///
    /// - Throws: ``Problem`` if the account cannot be reached, or the store fails.
    func read(_ ids: [EmailID], of account: Account, isAsked: Bool = false) async throws -> Result {
        var result = Result()
        var losses = 0
        for id in ids where result.bytes[id] == nil && result.failures[id] == nil {
            guard let place = try store.messages.places(of: id).first(where: { !$0.isMissing }) else {
                result.failures[id] = .notReturned
                continue
            }
            let doubt = try doubts(at: place).first {
                $0.stage == .original && $0.uids.contains(place.key.uid)
            }
            if let doubt, !isAsked, !DoubtTable.isDue(doubt, now: clock.now) {
                result.failures[id] = .lost(isNew: false)
                continue
            }
            guard losses < Self.mostLosses else {
                result.failures[id] = .notTried
                continue
            }
            switch try await attempt(id, of: account) {
            case .some(let bytes):
                if let bytes { result.bytes[id] = bytes } else { result.failures[id] = .notReturned }
                if doubt != nil { try note(nil, at: place) }
            case nil:
                losses += 1
                result.failures[id] = .lost(isNew: true)
                try note((doubt?.tries ?? 0) + 1, at: place)
            }
        }
        return result
    }

    /// One lost connection proves nothing, because networks fail, too. nil: the second, new connection was lost as well,
    /// and the server accepts a third one.
    private func attempt(_ id: EmailID, of account: Account) async throws -> [UInt8]?? {
        for attempt in 1...2 {
            let begun = Begun()
            do {
                return try await connections.connected(account) { connection in
                    await begun.note()
                    if attempt == 2 { await connection.source.wait(atMost: Self.patience) }
                    let bytes = try await OriginalReader.bytes(of: id, over: connection, store: store)
                    if attempt == 2 { await connection.source.wait(atMost: nil) }
                    return .some(bytes)
                }
            } catch let problem as Problem where problem.exit == .unavailable || problem.exit == .temporary {
                guard await begun.isNoted else { throw problem }
                await connections.pools.forget(account.id)
                try await Task.sleep(for: Self.pause)
            }
        }
        try await connections.connected(account) { _ in }
        return nil
    }

    private func doubts(at place: MessagePlace) throws -> [MessageDoubt] {
        try store.sync.doubts(
            of: place.key.account, mailbox: place.key.mailbox, uidValidity: place.key.uidValidity)
    }

    /// `tries`: how often the message failed; nil: the server returned it.
    private func note(_ tries: Int?, at place: MessagePlace) throws {
        let uid = place.key.uid
        var doubts = try doubts(at: place).filter { $0.stage != .original || !$0.uids.contains(uid) }
        if let tries {
            doubts.append(MessageDoubt(.original, .lost, uid...uid, tries: tries, triedAt: clock.now))
        }
        try store.sync.saveDoubts(
            doubts, of: place.key.account, mailbox: place.key.mailbox, uidValidity: place.key.uidValidity)
    }
}
