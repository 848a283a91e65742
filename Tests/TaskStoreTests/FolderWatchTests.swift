import Glibc
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

    @Test("a change of the file to which a link points is reported; one of its neighbours is not")
    func links() async throws {
        let (folder, other) = (try Folder(), try Folder())
        try other.write("real.yaml", "a")
        try folder.write("own.yaml", "a")
        #expect(symlink(other.path("real.yaml"), folder.path("rules.yaml")) == 0)
        var watch = FolderWatch(root: folder.root, links: .all)
        watch.quiet = .milliseconds(50)
        watch.period = .seconds(12)
        let stream = watch.changes()
        var changes = stream.makeAsyncIterator()
        for _ in 0..<2 {
            let begin = ContinuousClock.now
            try other.write("new", "b")
            #expect(rename(other.path("new"), other.path("real.yaml")) == 0)
            #expect(await changes.next() != nil)
            #expect(.now - begin < .seconds(9))
        }
        let begin = ContinuousClock.now
        try other.write("neighbour.yaml", "c")
        #expect(await changes.next() != nil)
        #expect(.now - begin > .seconds(2), "only the timer reported it")
    }

    @Test("a folder that is replaced by another one, or is missing for a while, is watched further")
    func replaced() async throws {
        let outer = try Folder()
        try outer.write("rules/a.yaml", "a")
        var watch = FolderWatch(root: outer.path("rules"))
        watch.quiet = .milliseconds(50)
        watch.absence = .milliseconds(200)
        var changes = watch.changes().makeAsyncIterator()
        let begin = ContinuousClock.now
        try outer.write("other/a.yaml", "b")
        #expect(rename(outer.path("rules"), outer.path("old")) == 0)
        #expect(rename(outer.path("other"), outer.path("rules")) == 0)
        #expect(await changes.next() != nil, "replaced")
        try outer.write("rules/a.yaml", "c")
        #expect(await changes.next() != nil, "edited")
        #expect(rename(outer.path("rules"), outer.path("away")) == 0)
        #expect(await changes.next() != nil, "gone")
        #expect(rename(outer.path("away"), outer.path("rules")) == 0)
        #expect(await changes.next() != nil, "back")
        try outer.write("rules/a.yaml", "d")
        #expect(await changes.next() != nil, "edited again")
        #expect(.now - begin < .seconds(30), "the timer of a minute was not needed")
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
