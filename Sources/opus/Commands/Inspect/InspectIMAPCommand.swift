import ArgumentParser
import Inspection
import Models
import Pipeline

/// `opus inspect imap`: what a recorded server said, one line or document a response, for bug reports.
struct InspectIMAPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imap",
        abstract: "Show what was understood of what an IMAP server said, from its recorded bytes.")

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Read the bytes in pieces of so many, which makes no difference to what is understood.",
            valueName: "number"))
    var chunk = 65_536

    @Argument(help: "The bytes of the server as they came; - is standard input.", completion: .file())
    var file: String

    func validate() throws {
        guard chunk > 0 else { throw ValidationError("A piece has at least one byte: --chunk 1.") }
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
