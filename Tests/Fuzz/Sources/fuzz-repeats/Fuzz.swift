// The lines of a series (RRULE, EXDATE, RDATE and its dates), as a stranger writes them: completing it ends, within its
// bounds, with a later day, the last one, or a reason; and the file that it makes is read back as that.

import Models
import Oracle
import TodoCalendar

private let now = Timestamp(seconds: 1_774_969_200)

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    var bytes = Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:u\r\n".utf8)
    bytes += input(data, count)
    bytes += Array("\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)
    guard let todo = try? VTodoReader.read(bytes, list: .next).todo else { return 0 }
    let days = TodoSeries.occurrences(of: todo, limit: 20)
    promise(days.count <= 20, "no more days than asked for")
    promise(Set(days).count == days.count, "each day once")
    guard TodoSeries.isOne(todo), todo.isOpen, let outcome = try? TodoSeries.outcome(of: todo) else {
        return 0
    }
    if case .next(let roll) = outcome { promise(roll.to != roll.from, "a series goes on: \(roll)") }
    guard let patch = try? TodoSeries.completion(of: todo),
        let patched = try? VTodoPatcher.apply(patch, to: bytes, now: now),
        let after = try? VTodoReader.read(patched, list: .next).todo
    else { return 0 }
    switch outcome {
    case .over: promise(after.isCompleted, "the last one is done")
    case .next(let roll):
        promise(after.isOpen, "a series goes on open")
        promise((after.start ?? after.due) == roll.to, "on the day that was told")
    }
    promise((try? VTodoPatcher.apply(patch, to: patched, now: now + 60)) == patched, "and no further")
    return 0
}
