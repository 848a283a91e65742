import ArgumentParser
import Documents
import Inspection
import Models
import Pipeline

/// `opus inspect task`: shows how opus reads a task file, or how it would change the file, for bug reports.
struct InspectTaskCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task",
        abstract: "Show how opus reads a calendar file (.ics), or print it after a change of a task.")

    @OptionGroup var global: GlobalOptions

    @Flag(
        name: .long, help: "Print the file after reading and rejoining its lines; the bytes must be the same."
    )
    var roundtrip = false

    @Flag(
        name: .long, help: "Print the file with the task completed; a repeating task moves to its next day.")
    var complete = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print the file with this property set; an empty value removes it. May be repeated.",
            discussion: TaskAssignment.names.joined(separator: ", "), valueName: "property=value"))
    var set: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Only the task with this UID, in a file that holds several.", valueName: "uid"))
    var uid: String?

    @Argument(
        help: "A calendar file; - is standard input.", completion: .file(extensions: ["ics"]))
    var file: String

    func validate() throws {
        let makes = complete || !set.isEmpty
        guard !(roundtrip && makes) else {
            throw ValidationError("Use --roundtrip without --complete and --set.")
        }
        guard !(global.json && (roundtrip || makes)) else {
            throw ValidationError("Use --json without --roundtrip, --complete and --set: those print bytes.")
        }
    }

    func run() throws {
        let console = global.console()
        let clock = SessionClock(fixed: try global.sessionOptions().now)
        let name = file == "-" ? "standard input" : file
        let task = try TaskInspection(
            try InspectionFile.read(file, limit: TaskInspection.limit), file: name, uid: uid)
        if roundtrip { return console.print(bytes: try task.roundTrip()) }
        if complete || !set.isEmpty {
            var patch = complete ? try task.completion() : TodoPatch()
            for assignment in set { try TaskAssignment.add(assignment, to: &patch) }
            return console.print(bytes: try task.patched(patch, now: clock.now))
        }
        if console.isJSON { return try console.print(json: TaskDocument(task)) }
        TaskFileOutput(console: console).show(task)
    }
}
