import Models
import Testing

@testable import TaskStore

@Suite(.timeLimit(.minutes(1))) struct FolderWatchTests {
    private static func watch(_ folder: Folder) -> FolderWatch {
        var watch = FolderWatch(root: folder.root)
        watch.quiet = .milliseconds(100)
        return watch
    }

    @Test("a file that is saved, created, moved or deleted is reported once")
    func changes() async throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Folder.foreign("a"))
        var changes = Self.watch(folder).changes().makeAsyncIterator()
        for number in 0..<20 { try folder.write("next/a.ics", Folder.foreign("a", "PRIORITY:\(number % 9)")) }
        #expect(await changes.next() != nil)
        try folder.move("next/a.ics", to: "someday/a.ics")
        #expect(await changes.next() != nil)
        // The new list is watched too, from before the change was reported.
        try folder.remove("someday/a.ics")
        #expect(await changes.next() != nil)
    }

    @Test("a timer finds changes that were not reported; temporary files of opus are ignored")
    func period() async throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Folder.foreign("a"))
        var watch = Self.watch(folder)
        watch.period = .seconds(2)
        let begin = ContinuousClock.now
        var changes = watch.changes().makeAsyncIterator()
        try await Task.sleep(for: .milliseconds(300))
        try folder.write("next/.x.tmp", "x")
        _ = await changes.next()
        #expect(.now - begin > .seconds(1))
    }
}
