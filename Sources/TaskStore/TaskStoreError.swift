public import Models
public import TodoCalendar

/// Why the task folder could not be read or changed. Paths are spelled as in the workspace.
public enum TaskStoreError: Error, Hashable, Sendable {
    /// Most open tasks disappeared at once. The cause is probably an unmounted disk or a running sync program.
    case massDeletion(vanished: Int, known: Int)
    case noSpace(path: String)
    case readOnly(path: String)
    case permission(path: String)
    case io(errno: Int32, path: String)
    /// Another program wrote the file after opus read it; its version stays.
    case changedMeanwhile(path: String)
    case notFound(TodoID)
    /// Two files claim the UID; opus changes neither.
    case severalFiles(TodoID, paths: [String])
    case malformed(path: String, error: CalendarError)
    /// The file is readable but does not allow this change.
    case refused(path: String, error: CalendarError)
    case badListName(String)
    /// The file contains other tasks too, which would move with it.
    case sharedFile(path: String, tasks: Int)
    /// Another file already has the required name.
    case nameTaken(path: String)
}

extension TaskStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .massDeletion(let vanished, let known):
            "\(vanished) of \(known) open tasks vanished from the task folder; nothing was done: "
                + "make sure that the folder is complete, or use --allow-mass-delete"
        case .noSpace(let path): "\(path): no space left on the disk; free some and run again"
        case .readOnly(let path): "\(path): the file system is read-only; mount it writable and run again"
        case .permission(let path): "\(path): permission denied; change its owner or mode"
        case .io(let number, let path): "\(path): \(SystemCall.text(of: number))"
        case .changedMeanwhile(let path): "\(path): another program changed the task just now; run again"
        case .notFound(let id): "no task file has the UID \(id)"
        case .severalFiles(let id, let paths):
            "\(paths.joined(separator: " and ")): the same UID \(id) in several files; keep one of them"
        case .malformed(let path, let error), .refused(let path, let error):
            error.line > 0 ? "\(path):\(error.line): \(error)" : "\(path): \(error)"
        case .badListName(let name):
            "'\(name)' cannot be the name of a list; use letters, digits, spaces and . _ - +"
        case .sharedFile(let path, let tasks):
            "\(path): the file holds \(tasks) tasks, which stay on one list; move this one in the program that wrote "
                + "the file, or give it a file of its own"
        case .nameTaken(let path): "\(path): another task's file has this name; rename it"
        }
    }

    init(errno number: Int32, path: String) {
        self = SystemCall.error(number, path: path)
    }
}
