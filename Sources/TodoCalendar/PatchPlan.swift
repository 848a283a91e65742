import Models

/// The properties of a VTODO that a ``TodoPatch`` changes; empty: the file already has all values.
///
/// STATUS, COMPLETED and PERCENT-COMPLETE change together. A date keeps its form: a time in a zone stays in that zone.
struct PatchPlan {
    enum Change: Equatable {
        case set(WrittenProperty)
        /// Also removes other lines of the same name.
        case setOnly(WrittenProperty)
        case remove(String)
        /// Replaces the content lines with these indexes.
        case replace(lines: [Int], with: [WrittenProperty])
    }

    var changes: [Change] = []
    /// The values that reading the new file must give.
    var expected: Todo
    let file: VTodo
    let outline: CalendarOutline
    let task: CalendarOutline.Task
    var master: Int { task.master }
    /// Instances in the file to complete.
    var finished: [Int] = []
    /// An occurrence for which to add a completed instance.
    var newInstance: TodoDate?

    var isEmpty: Bool { changes.isEmpty && finished.isEmpty && newInstance == nil }

    init(
        _ patch: TodoPatch, file: VTodo, outline: CalendarOutline, task: CalendarOutline.Task, now: Timestamp
    ) throws(CalendarError) {
        self.file = file
        self.outline = outline
        self.task = task
        expected = file.todo
        if let roll = patch.roll { try go(on: roll) }
        if let status = patch.status ?? patch.completed.map({ _ in .completed }) {
            try set(status, completed: patch.completed, now: now)
        }
        if let summary = patch.summary.map(WrittenProperty.shown(summary:)), summary != file.todo.summary {
            set(.summary(summary))
            expected.summary = summary
        }
        let clears = patch.clears ?? []
        if clears.contains(.due), patch.due == nil { try clearDue() }
        if clears.contains(.start), patch.start == nil { try clearStart() }
        if patch.due != nil || patch.start != nil { try set(due: patch.due, start: patch.start) }
        setWords(patch)
        setRelations(patch)
    }

    mutating func set(_ property: WrittenProperty) { changes.append(.set(property)) }

    mutating func remove(_ name: String) {
        if outline.has(name, in: master) { changes.append(.remove(name)) }
    }

    // MARK: Status

    private mutating func set(
        _ status: TodoStatus, completed: Timestamp?, now: Timestamp
    ) throws(CalendarError) {
        switch status {
        case .completed:
            try complete(at: completed ?? file.todo.completed ?? now)
        case .needsAction:
            try requireOpenable()
            set(status)
            clearCompletion(evenPartly: true)
        case .inProcess:
            try requireOpenable()
            set(status)
            clearCompletion(evenPartly: false)
        case .cancelled:
            set(status)
            clearCompletion(evenPartly: false)
        }
    }

    private mutating func set(_ status: TodoStatus) {
        guard file.todo.status != status || file.isFinished else { return }
        set(.status(status))
        expected.status = status
    }

    private mutating func complete(at time: Timestamp) throws(CalendarError) {
        let todo = file.todo
        guard todo.status != .completed || todo.completed != time || todo.percentComplete != 100 else {
            return
        }
        try requireLast()
        set(.completed)
        if todo.completed != time { set(.completed(time)) }
        if todo.percentComplete != 100 { set(.percentComplete(100)) }
        expected.completed = time
        expected.percentComplete = 100
        // The series has ended, so its open instances are done too.
        finish(Instances.open(task, outline))
    }

    private mutating func clearCompletion(evenPartly: Bool) {
        remove("COMPLETED")
        expected.completed = nil
        // 0 % means the same as no percentage.
        guard file.todo.percentComplete != 0, evenPartly || (file.todo.percentComplete ?? 0) >= 100 else {
            return
        }
        remove("PERCENT-COMPLETE")
        expected.percentComplete = nil
    }

    /// Throws for a series, whose dates depend on its rule.
    private func requireSingle() throws(CalendarError) {
        guard !file.repeats, !file.hasInstances else { throw CalendarError(.repeats, line: file.line) }
    }

    /// Throws for a series whose dates are all done: another STATUS would leave no date to do.
    private func requireOpenable() throws(CalendarError) {
        guard !file.isFinished else { throw CalendarError(.repeats, line: file.line) }
    }

    /// Throws unless this is the last occurrence, which completes the series.
    private func requireLast() throws(CalendarError) {
        guard file.repeats || file.hasInstances else { return }
        try requireKnownSeries()
        guard TodoSeries.isOne(file.todo),
            file.todo.isCompleted || (try? TodoSeries.outcome(of: file.todo)) == .over
        else { throw CalendarError(.repeats, line: file.line) }
    }

    /// Throws for EXRULE, and for instances that replace all later ones: only the program that wrote them can change
    /// them.
    private func requireKnownSeries() throws(CalendarError) {
        guard !outline.has("EXRULE", in: master), !Instances.changesFollowing(task, outline) else {
            throw CalendarError(.repeats, line: file.line)
        }
    }

    // MARK: Continuing a series

    /// Moves the task to the next occurrence and opens it; changes nothing if it is already there.
    private mutating func go(on roll: TodoRoll) throws(CalendarError) {
        let place = file.todo.start ?? file.todo.due
        if file.hasInstances || roll.asInstance == true { return try finish(roll.from) }
        if ZoneClock.isSame(place, roll.to) { return }
        guard file.repeats else { throw CalendarError(.repeats, line: file.line) }
        try requireKnownSeries()
        guard ZoneClock.isSame(place, roll.from) else { throw CalendarError(.movedOn, line: file.line) }
        if let start = roll.start, start != file.todo.start {
            set(.start(start))
            expected.start = start
        }
        if let due = roll.due, due != file.todo.due {
            set(.due(due))
            expected.due = due
        }
        if let rule = roll.rule, rule != file.todo.recurrence {
            let property = WrittenProperty.recurrence(rule)
            set(property)
            expected.recurrence = Libical.run { property.value() } ?? rule
        }
        set(TodoStatus.needsAction)
        clearCompletion(evenPartly: true)
    }

    /// Keeps the series, and completes the occurrence as an instance.
    private mutating func finish(_ occurrence: TodoDate) throws(CalendarError) {
        if TodoSeries.isDone(occurrence, in: file.todo) { return }
        guard file.repeats else { throw CalendarError(.repeats, line: file.line) }
        try requireKnownSeries()
        guard let current = TodoSeries.current(of: file.todo), ZoneClock.isSame(current, occurrence) else {
            throw CalendarError(.movedOn, line: file.line)
        }
        let own = Instances.open(task, outline).filter { instance in
            outline.value("RECURRENCE-ID", in: instance).map {
                TodoSeries.isSame($0, current, in: file.todo)
            } ?? false
        }
        if own.isEmpty {
            newInstance = current
            let property = WrittenProperty.recurrenceID(current)
            expected.doneInstances += [Libical.run { property.value() }].compactMap(\.self)
        } else {
            finish(own)
        }
    }

    private mutating func finish(_ instances: [Int]) {
        finished += instances
        expected.doneInstances += instances.compactMap { outline.value("RECURRENCE-ID", in: $0) }
    }

    // MARK: Dates

    private mutating func clearDue() throws(CalendarError) {
        guard file.todo.due != nil else { return }
        try requireSingle()
        remove("DUE")
        expected.due = nil
    }

    private mutating func clearStart() throws(CalendarError) {
        guard file.todo.start != nil else { return }
        try requireSingle()
        remove("DTSTART")
        // A length without its start is an error. RFC 5545 §3.6.2.
        remove("DURATION")
        expected.start = nil
    }

    private mutating func set(due: TodoDate?, start: TodoDate?) throws(CalendarError) {
        let todo = expected
        let newDue = due.map { formed($0, like: todo.due) } ?? todo.due
        var newStart = start.map { formed($0, like: todo.start ?? todo.due) } ?? todo.start
        guard newDue != todo.due || newStart != todo.start else { return }
        try requireSingle()
        if let wanted = newStart, newDue != nil {
            newStart = StartBeforeDue.fitted(wanted, due: newDue, zone: zone(due, start))
            guard newStart != nil else {
                throw CalendarError(.startNotBeforeDue, line: file.line)
            }
        }
        if let newDue, newDue != todo.due {
            set(.due(newDue))
            // Both together are an error. RFC 5545 §3.6.2.
            remove("DURATION")
        }
        if let newStart, newStart != todo.start { set(.start(newStart)) }
        expected.due = newDue
        expected.start = newStart
        keepZone(due, start)
    }

    /// The date as the file would say it. The same moment in the file's own form is not a change.
    private func formed(_ date: TodoDate, like existing: TodoDate?) -> TodoDate {
        if let existing, ZoneClock.isSame(date, existing) { return existing }
        switch (date, existing) {
        case (.date, _):
            return date
        case (.instant(let instant), .some(.local(_, zone: .some(let zone)))):
            return ZoneClock.local(at: instant, in: zone).map { .local($0, zone: zone) } ?? date
        case (.instant, _), (.local(_, zone: nil), _):
            return date
        case (.local(let local, zone: .some(let zone)), _):
            if hasZone(zone) { return date }
            return ZoneClock.instant(of: local, in: zone).map { .instant($0) } ?? .local(local, zone: nil)
        }
    }

    /// Whether the file defines the zone, so that a TZID may point to it.
    private func hasZone(_ tzid: String) -> Bool {
        outline.components.indices.contains { index in
            outline.components[index].name == "VTIMEZONE"
                && outline.ownLines(of: index).contains {
                    outline.lines[$0].name == "TZID"
                        && outline.lines[$0].plainValue(in: outline.bytes) == tzid
                }
        }
    }

    private func zone(_ dates: TodoDate?...) -> String? {
        let named = dates + [file.todo.due, file.todo.start]
        return file.todo.timeZone ?? named.lazy.compactMap { $0.flatMap(CalendarDates.tzid) }.first
    }

    /// A time that lost its TZID, to UTC or to a day, keeps the zone in X-OPUS-TZ.
    private mutating func keepZone(_ due: TodoDate?, _ start: TodoDate?) {
        let written = [expected.due, expected.start].compactMap { $0.flatMap(CalendarDates.tzid) }
        let meant = [due, start, file.todo.due, file.todo.start].compactMap { $0.flatMap(CalendarDates.tzid) }
        guard expected.timeZone == nil, written.isEmpty, let name = meant.first.flatMap(ZoneClock.name(of:))
        else { return }
        set(.own(name: "X-OPUS-TZ", value: name))
        expected.timeZone = name
    }
}
