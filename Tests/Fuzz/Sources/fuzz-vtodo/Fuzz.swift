// Task files: cut into lines and joined they are the same bytes; a patch changes the lines of its properties and no
// other; the same patch again changes nothing; where libical reads the file whole, it counts the same properties.
//
// The first byte of an input says which patch.

import CLibical
import Models
import Oracle
import TodoCalendar
import TodoOracle

private let now = Timestamp(seconds: 1_774_969_200)

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let all = input(data, count)
    guard let choice = all.first else { return 0 }
    let bytes = Array(all.dropFirst())
    _ = VTodoReader.guessUID(bytes)
    guard let joined = try? VTodoPatcher.joined(bytes) else {
        promise((try? VTodoReader.read(bytes, list: .next)) == nil, "what is not cut into lines is not read")
        return 0
    }
    promise(joined == bytes, "a patch of nothing is the same bytes")
    guard let file = try? VTodoReader.read(bytes, list: .next) else { return 0 }
    promise(!file.todo.id.rawValue.isEmpty, "a task has a UID")
    promise((try? VTodoPatcher.apply(TodoPatch(), to: bytes, now: now)) == bytes, "an empty patch too")
    compareCounts(bytes, file)
    let chosen = patch(choice, file.todo)
    guard let patched = try? VTodoPatcher.apply(chosen, to: bytes, now: now) else { return 0 }
    let names = touched(by: chosen)
    promise(others(bytes, names) == others(patched, names), "only the patch's own lines differ: \(chosen)")
    guard let after = try? VTodoReader.read(patched, list: .next) else {
        promise(false, "what was written is read")
        return 0
    }
    promise(after.todo.id == file.todo.id, "it is the same task")
    promise(
        (try? VTodoPatcher.apply(chosen, to: patched, now: now + 60)) == patched,
        "the same patch again changes nothing: \(chosen)")
    return 0
}

private func others(_ bytes: [UInt8], _ names: Set<String>) -> [ArraySlice<UInt8>] {
    rawLines(bytes).filter { !$0.isOwn || !names.contains($0.name) }.map(\.bytes)
}

private func patch(_ choice: UInt8, _ todo: Todo) -> TodoPatch {
    var patch = TodoPatch()
    switch choice % 16 {
    case 0: patch.summary = "New"
    case 1: patch.status = .completed
    case 2: patch.status = .needsAction
    case 3: patch.status = .inProcess
    case 4: patch.status = .cancelled
    case 5: patch.due = TodoDate("2026-04-10")
    case 6: patch.due = TodoDate("2026-04-10T09:00:00Z")
    case 7: patch.due = TodoDate("2026-04-10T09:00:00[Europe/Paris]")
    case 8: patch.start = TodoDate("2026-04-01")
    case 9: patch.clears = [.due, .start, .parent]
    case 10: patch.priority = 1
    case 11: patch.categories = ["@home", "work"]
    case 12: patch.notes = "one\ntwo, three; four"
    case 13: patch.contact = "Zoë"
    case 14:
        patch.parent = TodoID("p")
        patch.dependsOn = [TodoID("q")]
    case _: patch = (try? TodoSeries.completion(of: todo)) ?? TodoPatch(status: .completed)
    }
    return patch
}

/// libical by itself, on the whole file: as many lines of the plain properties as we count. Where it finds a fault, or
/// takes a CR or NUL for something else than we do, there is nothing to compare.
private func compareCounts(_ bytes: [UInt8], _ file: VTodo) {
    let isPlain = bytes.indices.allSatisfy { index in
        bytes[index] != 0 && bytes[index] < 0x80
            && (bytes[index] != 0x0D || (index + 1 < bytes.count && bytes[index + 1] == 0x0A))
    }
    guard isPlain, !file.isInstance, !file.hasInstances, bytes.count < 4_096,
        !bytes.contains(0x09), let calendar = parsed(bytes)
    else { return }
    defer { icalcomponent_free(calendar) }
    guard icalcomponent_isa(calendar) == ICAL_VCALENDAR_COMPONENT, icalcomponent_count_errors(calendar) == 0,
        let todo = icalcomponent_get_first_component(calendar, ICAL_VTODO_COMPONENT)
    else { return }
    let lines = rawLines(bytes).filter(\.isOwn)
    for (name, kind) in kinds {
        let ours = lines.count { $0.name == name }
        let theirs = Int(icalcomponent_count_properties(todo, kind))
        promise(ours == theirs, "\(name): we count \(ours), libical \(theirs)")
    }
}

private let kinds: [(String, icalproperty_kind)] = [
    ("UID", ICAL_UID_PROPERTY), ("SUMMARY", ICAL_SUMMARY_PROPERTY), ("STATUS", ICAL_STATUS_PROPERTY),
    ("DUE", ICAL_DUE_PROPERTY), ("DTSTART", ICAL_DTSTART_PROPERTY), ("PRIORITY", ICAL_PRIORITY_PROPERTY),
    ("COMPLETED", ICAL_COMPLETED_PROPERTY), ("RRULE", ICAL_RRULE_PROPERTY), ("URL", ICAL_URL_PROPERTY),
]

private func parsed(_ bytes: [UInt8]) -> OpaquePointer? {
    icalparser_parse_string(bytes.map { CChar(bitPattern: $0) } + [0])
}
