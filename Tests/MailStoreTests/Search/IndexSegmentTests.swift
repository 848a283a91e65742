import GRDB
import Models
import Testing

@testable import MailStore

/// A transaction adds one segment to each search index, however many messages it writes. A segment for each message would
/// have to be written, merged and read.
@Suite struct IndexSegmentTests {
    private let folder: StoreFolder
    private let store: Store

    init() throws {
        folder = try StoreFolder()
        store = try folder.open()
        try store.saveUsualMailboxes()
    }

    @Test("a batch of new messages adds one segment to the index", arguments: [UInt32(1), 0])
    func arrivals(_ firstUID: UInt32) throws {
        _ = try store.sync.apply(
            batch(
                added: (0..<30).map { number in
                    newMessage(
                        "m\(number)", uid: firstUID == 0 ? 0 : firstUID + UInt32(number),
                        text: "word\(number) common", remoteName: "name\(number)")
                }))
        #expect(try segments("search") == 1)
        #expect(try segments("word_part") == 1)
    }

    @Test("a clean-up of many messages adds one segment to the index")
    func cleanUp() throws {
        let uids = Array<UInt32>(1...30)
        _ = try store.sync.apply(batch(added: uids.map { newMessage("m\($0)", uid: $0, text: "word\($0)") }))
        _ = try store.sync.apply(batch { $0.removed = uids })
        _ = try store.messages.cleanUp(now: time(0))
        #expect(try store.messages.cleanUp(now: time(31 * 86_400)) == 30)
        #expect(try segments("search") == 2)
    }

    private func segments(_ index: String) throws -> Int? {
        try store.file.reading {
            try Int.fetchOne($0, sql: "SELECT count(DISTINCT segid) FROM \(index)_idx")
        }
    }
}
