import Models

/// Instances of a repeating task in the same file: a VTODO with the UID of the series and a RECURRENCE-ID. Thunderbird
/// records completed occurrences in this way. RFC 5545 §3.8.4.4.
enum Instances {
    /// The RECURRENCE-IDs of completed instances.
    static func done(_ task: CalendarOutline.Task, _ outline: CalendarOutline) -> [String] {
        task.instances.prefix(most).filter { isDone($0, outline) }.compactMap {
            outline.value("RECURRENCE-ID", in: $0)
        }
    }

    /// The dates of cancelled instances, which the series skips.
    static func cancelled(
        _ task: CalendarOutline.Task, _ outline: CalendarOutline, zone todo: Todo
    ) -> [TodoDate] {
        task.instances.prefix(most).filter {
            outline.value("STATUS", in: $0)?.uppercased() == "CANCELLED"
        }.compactMap { instance in
            outline.value("RECURRENCE-ID", in: instance).flatMap { SeriesDates.date($0, in: todo) }
        }
    }

    static func isDone(_ instance: Int, _ outline: CalendarOutline) -> Bool {
        outline.value("STATUS", in: instance)?.uppercased() == "COMPLETED"
            || outline.has("COMPLETED", in: instance)
            || outline.value("PERCENT-COMPLETE", in: instance) == "100"
    }

    /// The instances that are neither completed nor cancelled.
    static func open(_ task: CalendarOutline.Task, _ outline: CalendarOutline) -> [Int] {
        task.instances.filter {
            !isDone($0, outline) && outline.value("STATUS", in: $0)?.uppercased() != "CANCELLED"
        }
    }

    /// Whether an instance replaces all later ones, so that the series is another one from there on.
    static func changesFollowing(_ task: CalendarOutline.Task, _ outline: CalendarOutline) -> Bool {
        task.instances.contains { instance in
            guard let line = outline.line("RECURRENCE-ID", in: instance) else { return false }
            return outline.lines[line].parts(in: outline.bytes).parameters.contains { $0.name == "RANGE" }
        }
    }

    private static let most = 1_000
}
