import Foundation
import MailStore
import Models
import Testing

/// What a store leaves for the next process.
@Suite struct CloseTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "-wal")
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    private func fill() throws {
        let store = try folder.open()
        try store.saveUsualMailboxes()
        let text = String(repeating: "words of a message ", count: 200)
        _ = try store.sync.apply(
            batch(added: (1...500).map { newMessage("m\($0)", uid: UInt32($0), text: text) }))
        // A reader is open, too: GRDB closes it after the writer.
        #expect(try store.list().count == 500)
        store.close()
    }

    @Test("closing the store after a large write leaves a short log")
    func short() throws {
        try fill()
        #expect(try logSize() < 100_000)
        let again = try folder.open()
        #expect(try again.list().count == 500)
        #expect(try again.integrityCheck() == [])
        again.close()
    }

    @Test("closing the store does not wait for a process that reads the log, and loses nothing")
    func busy() throws {
        try fill()
        let reader = try folder.open()
        #expect(try reader.list().count == 500)
        let writer = try folder.open()
        let text = String(repeating: "other words ", count: 400)
        _ = try writer.sync.apply(
            batch(added: (501...1_000).map { newMessage("m\($0)", uid: UInt32($0), text: text) }))
        let start = ContinuousClock.now
        writer.close()
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(try reader.list().count == 1_000)
        reader.close()
        #expect(try folder.open().integrityCheck() == [])
    }
}
