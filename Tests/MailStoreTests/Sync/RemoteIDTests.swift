import MailStore
import Models
import Testing

/// The account's own names for contents: how the store learns them and finds messages by them.
@Suite struct RemoteIDTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("a new message is found by the server's id, only in its own account")
    func new() throws {
        _ = try store.sync.apply(batch(added: [message("a", uid: 1, "G18"), newMessage("b", uid: 2)]))
        #expect(try known("G18", "G19") == ["G18": id("a")])
        #expect(try store.sync.emailIDs(forRemoteIDs: ["G18"], account: AccountID("other")) == [:])
        #expect(try known() == [:])
    }

    @Test("a later place gives a known message its server id, and a place without an id does not remove it")
    func taught() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        try place("a", uid: 3, "E7")
        #expect(try known("E7") == ["E7": id("a")])
        try place("a", uid: 4, nil)
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 5)]))
        #expect(try known("E7") == ["E7": id("a")])
        try place("a", uid: 4, "E8")
        #expect(try known("E7", "E8") == ["E8": id("a")])
    }

    @Test("a known message that is added again gets its server id")
    func again() throws {
        _ = try store.sync.apply(batch(added: [newMessage("a", uid: 1)]))
        _ = try store.sync.apply(batch(archive, added: [message("a", uid: 1, "E7")]))
        #expect(try known("E7") == ["E7": id("a")])
    }

    @Test("a server id that two messages have finds neither of them")
    func claimedTwice() throws {
        _ = try store.sync.apply(
            batch(added: [message("a", uid: 1, "E7"), message("b", uid: 2, "E7"), message("c", uid: 3, "E9")])
        )
        #expect(try known("E7", "E9") == ["E9": id("c")])
    }

    @Test("a server id may contain quotes, brackets and NUL")
    func hostile() throws {
        let odd = "E\"]') OR 1=1 --\0é"
        _ = try store.sync.apply(batch(added: [message("a", uid: 1, odd), message("b", uid: 2, "E1")]))
        #expect(try known(odd).values.map(\.self) == [id("a")])
    }

    @Test("thousands of server ids are looked up in one call")
    func many() throws {
        let messages = (1...5_000).map { message("m\($0)", uid: UInt32($0), "G\($0)") }
        _ = try store.sync.apply(batch(added: messages))
        let found = try store.sync.emailIDs(forRemoteIDs: (1...9_000).map { "G\($0)" }, account: work)
        #expect(found.count == 5_000)
        #expect(found["G4711"] == id("m4711"))
    }

    @Test("the window of a mailbox is stored, and is cleared with its places")
    func window() throws {
        var state = MailboxSyncState(uidValidity: 7, uidNext: 2, windowSince: time(86_400))
        _ = try store.sync.apply(batch { $0.state = state })
        #expect(try store.sync.syncState(of: work, mailbox: .inbox) == state)
        state.windowSince = nil
        _ = try store.sync.apply(batch { $0.state = state })
        #expect(try store.sync.syncState(of: work, mailbox: .inbox)?.windowSince == nil)
        state.windowSince = time(5)
        _ = try store.sync.apply(batch { $0.state = state })
        _ = try store.sync.apply(batch(validity: 8) { $0.resetPlacements = true })
        #expect(try store.sync.syncState(of: work, mailbox: .inbox)?.windowSince == nil)
    }

    private func message(_ name: String, uid: UInt32, _ remoteID: String) -> NewMessage {
        var message = newMessage(name, uid: uid)
        message.remoteID = remoteID
        return message
    }

    private func place(_ name: String, uid: UInt32, _ remoteID: String?) throws {
        _ = try store.sync.apply(
            batch(archive) { $0.placed = [Placement(message: id(name), uid: uid, remoteID: remoteID)] })
    }

    private func known(_ ids: String...) throws -> [String: EmailID] {
        try store.sync.emailIDs(forRemoteIDs: ids, account: work)
    }
}
