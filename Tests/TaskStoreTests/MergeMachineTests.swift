import Foundation
import Glibc
import Models
import TestSupport
import Testing
import TodoCalendar

@testable import TaskStore

/// SeededGenerator lives of a task folder: we write, scan and merge while other programs edit the same files in their ways.
///
/// `OPUS_TASK_SEQUENCES` says how many lives (800). After every step: no file is damaged, no foreign line is lost,
/// nothing but tasks stands in the folder, and a second scan finds no change.
@Suite struct MergeMachineTests {
    static let sequences =
        ProcessInfo.processInfo.environment["OPUS_TASK_SEQUENCES"].flatMap { Int($0) } ?? 800

    @Test("no sequence of edits, saves, renames and merges damages a file or loses a change")
    func lives() throws {
        let folder = try Folder(inMemory: true)
        folder.store = TaskFiles(root: folder.root, conflicts: folder.root + "/../conflicts")
        for number in 0..<Self.sequences {
            var life = Life(folder, number)
            do {
                try life.live()
            } catch {
                Issue.record("life \(number): \(error)\n\(life.story.joined(separator: "\n"))")
                return
            }
        }
    }
}

/// One life: up to eight steps with one foreign task and one of ours.
private struct Life {
    struct Broken: Error, CustomStringConvertible {
        var description: String
    }

    let folder: Folder
    var random: SeededGenerator
    var story: [String] = []
    /// What the store would remember.
    var known: [TodoFile] = []
    let ours: String
    let foreign: String
    /// What other programs wrote last into the line that only they know.
    var mark = 0

    init(_ folder: Folder, _ number: Int) {
        self.folder = folder
        random = SeededGenerator(seed: UInt64(number))
        ours = "ours-\(number)"
        foreign = "foreign-\(number)"
    }

    mutating func live() throws {
        try? FileManager.default.removeItem(atPath: folder.root)
        try? FileManager.default.removeItem(atPath: folder.root + "/../conflicts")
        folder.store = TaskFiles(root: folder.root, conflicts: folder.root + "/../conflicts")
        try folder.write("next/\(foreign).ics", Folder.foreign(foreign, "X-MARK:0", "LINK;LINKREL=SOURCE:x"))
        known = [try folder.create(Folder.todo(ours))]
        try scan()
        for _ in 0..<Int.random(in: 2...8, using: &random) {
            try step()
            try check()
        }
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: try editOutside()
        case 2: try mergeOurs()
        case 3: try renameOutside()
        case 4: try partialWrite()
        case 5: try writeMeanwhile()
        case _: try scan()
        }
    }

    // MARK: Other programs

    private func path(of id: String) -> String? {
        (try? folder.names())?.first { name in
            name.hasSuffix(".ics") && (try? folder.text(name))?.contains("UID:\(id)\r") == true
        }
    }

    /// Another program changes a line, and saves in one of the ways in which editors save.
    private mutating func editOutside() throws {
        let id = Bool.random(using: &random) ? ours : foreign
        guard let path = path(of: id) else { return }
        mark += 1
        let lines = [
            "SUMMARY:there \(mark)", "STATUS:COMPLETED", "STATUS:NEEDS-ACTION", "PRIORITY:\(mark % 9 + 1)",
            "DUE;VALUE=DATE:202604\(10 + mark % 20)", "CATEGORIES:@there,w\(mark)",
        ]
        let line = lines.randomElement(using: &random) ?? ""
        let name = line.prefix { $0 != ":" && $0 != ";" }
        var kept = try folder.text(path).components(separatedBy: "\r\n").filter {
            !$0.hasPrefix(name + ":") && !$0.hasPrefix(name + ";") && !$0.hasPrefix("X-MARK")
        }
        let end = kept.firstIndex(of: "END:VTODO") ?? kept.count
        kept.insert(contentsOf: [line, "X-MARK:\(mark)"], at: end)
        try save(path, kept.joined(separator: "\r\n"))
    }

    /// vim: a backup beside it, a new file in its place. emacs: a lock link, then in place. nano: truncate and write.
    private mutating func save(_ path: String, _ text: String) throws {
        let file = folder.path(path)
        let way = Int.random(in: 0..<4, using: &random)
        story.append("save \(path) in way \(way): mark \(mark)")
        switch way {
        case 0:
            rename(file, file + "~")
            try Data(text.utf8).write(to: URL(filePath: file))
            unlink(file + "~")
        case 1:
            let link = (file as NSString).deletingLastPathComponent + "/.#lock"
            symlink("someone@host.1", link)
            try inPlace(file, text)
            unlink(link)
        case 2: try inPlace(file, text)
        case _: try folder.write(path, text)
        }
        // A file system with seconds only, or a program that sets the time back.
        if Bool.random(using: &random) {
            var times = [
                timeval(tv_sec: 1_774_969_200, tv_usec: 0), timeval(tv_sec: 1_774_969_200, tv_usec: 0),
            ]
            utimes(file, &times)
        }
    }

    private func inPlace(_ file: String, _ text: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private mutating func renameOutside() throws {
        let id = Bool.random(using: &random) ? ours : foreign
        guard let path = path(of: id) else { return }
        let list = ["next", "someday", "waiting"].randomElement(using: &random) ?? ""
        let name = "\(list)/renamed \(Int.random(in: 0...3, using: &random)) \(id).ics"
        guard name != path else { return }
        story.append("rename \(path) to \(name)")
        try folder.move(path, to: name)
    }

    /// A program is killed in the middle, or we look while it writes: nothing may be taken for deleted or be written.
    private mutating func partialWrite() throws {
        guard let path = path(of: foreign) else { return }
        let whole = try folder.text(path)
        let cut = String(whole.prefix(Int.random(in: 0..<whole.count - 16, using: &random)))
        story.append("cut \(path) at \(cut.utf8.count)")
        try inPlace(folder.path(path), cut)
        let before = try folder.text(path)
        let scan = try folder.scan(known)
        guard scan.malformed.contains(where: { $0.path == path }) else {
            throw Broken(description: "a file cut short was not reported")
        }
        guard !scan.changes.contains(where: { if case .deleted = $0 { true } else { false } }) else {
            throw Broken(description: "a file cut short was taken for deleted")
        }
        _ = try? folder.store.merge(
            TodoID(foreign), TodoPatch(summary: "here"), base: known.first { $0.todo.id == TodoID(foreign) },
            now: Folder.now)
        guard try folder.text(path) == before else { throw Broken(description: "a broken file was written") }
        try inPlace(folder.path(path), whole)
    }

    // MARK: Ourselves

    private mutating func patch() -> TodoPatch {
        mark += 1
        var patch = TodoPatch()
        switch Int.random(in: 0..<5, using: &random) {
        case 0: patch.summary = "here \(mark)"
        case 1: patch.status = .completed
        case 2: patch.due = .date(CalendarDate(daysSinceEpoch: 20_600 + Int64(mark)))
        case 3: patch.categories = ["@here", "w\(mark)"]
        case _: patch.list = [.next, .someday].randomElement(using: &random) ?? .next
        }
        return patch
    }

    private mutating func mergeOurs() throws {
        let id = TodoID(Bool.random(using: &random) ? ours : foreign)
        guard let base = known.first(where: { $0.todo.id == id }) else { return }
        let patch = patch()
        story.append("merge \(patch)")
        let merge: TaskMerge
        do {
            merge = try folder.store.merge(id, patch, base: base, now: Folder.now)
        } catch let error {
            guard case .nameTaken = error else { throw error }
            return
        }
        guard let file = merge.file, let agreed = merge.agreed else { throw Broken(description: "no file") }
        // Each field of the patch: written, there already, or kept aside.
        let wanted = patch.applied(to: base.todo)
        let aside = Set(merge.conflicts.compactMap(\.field))
        for field in patch.fields where !field.isSame(wanted, file.todo) && !aside.contains(field) {
            guard field == .categories || field.isSame(wanted, base.todo) else {
                throw Broken(description: "\(field) was lost: \(field.text(of: wanted) ?? "") is nowhere")
            }
        }
        known = known.map { $0.todo.id == id ? agreed : $0 }
    }

    /// Another program saves between our reading and our writing.
    private mutating func writeMeanwhile() throws {
        guard let path = path(of: foreign), let base = known.first(where: { $0.todo.id == TodoID(foreign) })
        else {
            return
        }
        mark += 1
        let text = try folder.text(path).replacing(/X-MARK:[0-9]+/, with: "X-MARK:\(mark)")
        story.append("meanwhile \(path): mark \(mark)")
        let target = folder.path(path)
        var store = folder.store
        store.willReplace = { _ in try? Data(text.utf8).write(to: URL(filePath: target), options: .atomic) }
        do {
            _ = try store.merge(
                base.todo.id, TodoPatch(summary: "here \(mark)"), base: base, now: Folder.now)
            // Nothing was written, so no other program changed the file in between.
        } catch let error {
            guard case .changedMeanwhile = error, try folder.text(path) == text else {
                throw Broken(description: "what was written meanwhile is lost (\(error))")
            }
        }
    }

    private mutating func scan() throws {
        let scan = try folder.scan(known)
        story.append("scan: \(scan.changes.map(\.shown))")
        guard scan.malformed.isEmpty, scan.files.count == 2 else {
            throw Broken(description: "scan: \(scan.malformed) \(scan.files.map(\.path))")
        }
        known = scan.files
        guard try folder.scan(known).changes.isEmpty else {
            throw Broken(description: "a second scan changes")
        }
    }

    /// Both tasks are there once, whole, and keep the lines that we know nothing of.
    private func check() throws {
        for id in [ours, foreign] {
            let paths = try folder.names().filter {
                try $0.hasSuffix(".ics") && folder.text($0).contains("UID:\(id)\r")
            }
            guard paths.count == 1 else { throw Broken(description: "\(id) stands in \(paths)") }
            let text = try folder.text(paths[0])
            let read = try VTodoReader.read(Array(text.utf8), list: .next)
            guard read.todo.id.rawValue == id, text.hasSuffix("END:VCALENDAR\r\n") else {
                throw Broken(description: "\(id) is damaged:\n\(text)")
            }
            if id == foreign {
                guard text.contains("\r\nLINK;LINKREL=SOURCE:x\r\n"), text.contains("\r\nX-MARK:") else {
                    throw Broken(description: "a foreign line is lost:\n\(text)")
                }
            }
        }
        let strange = try folder.names().filter { !$0.hasSuffix(".ics") && !$0.hasSuffix("/displayname") }
        guard strange.isEmpty else { throw Broken(description: "left behind: \(strange)") }
    }
}
