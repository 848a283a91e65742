import MailStore
import Models

/// The UIDNEXT of a mailbox whose server told one that is not above all UIDs: mail came meanwhile, or the server cannot
/// count. What it tells next is compared with that, so that such a server is not taken for one that went back.
struct ToldUIDNext {
    private let store: MailStore
    private let key: String

    init(_ mailbox: Mailbox, _ engine: AccountSync) {
        store = engine.store
        key = "told:\(engine.account):\(mailbox.name)"
    }

    /// nil: it was above all UIDs.
    func value() throws -> UInt32? { try store.meta(key).flatMap { UInt32($0) } }

    func save(_ told: UInt32?, lastUID: UInt32) throws {
        let text = told.flatMap { $0 <= lastUID ? "\($0)" : nil }
        if try store.meta(key) != text { try store.setMeta(key, text) }
    }
}
