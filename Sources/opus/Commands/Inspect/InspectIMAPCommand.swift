import ArgumentParser
import Inspection
import Models
import Pipeline

/// `opus inspect imap`: shows how opus reads a recording of an IMAP session, one line or document for each response,
/// for bug reports.
struct InspectIMAPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imap",
        abstract: "Show how opus reads the recorded responses of an IMAP server.")

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read in pieces of this many bytes; the result is the same for any size.",
            valueName: "number"))
    var chunk = 65_536

    @Argument(help: "The recorded bytes of the server; - is standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard chunk > 0 else { throw ValidationError("--chunk takes a number of at least 1.") }
    }

    func run() throws {
        let console = global.console()
        let output = TranscriptOutput(console: console)
        var transcript = TranscriptInspection(file: file)
        try InspectionFile.forEachPiece(of: file, bytes: chunk) { piece throws(Problem) in
            output.show(try transcript.feed(piece))
        }
        output.show(try transcript.finish())
        output.sum(transcript)
    }
}
