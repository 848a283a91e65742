import Documents
import Inspection
import Models
import Pipeline

/// The responses of an IMAP server, one on a line: aligned on a terminal, tab-separated in a pipe, or as JSON.
struct TranscriptOutput {
    let console: Console

    func show(_ responses: [ResponseInspection]) {
        for response in responses {
            if console.isJSON {
                // Every encoder can write a document of texts and whole numbers.
                try? console.print(jsonLine: ImapDocument(response))
            } else {
                console.print(line(response))
            }
        }
    }

    /// Prints the summary on standard error.
    func sum(_ transcript: TranscriptInspection) {
        let quirks = transcript.quirks.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        console.note(
            "opus: \(counted(transcript.count, "response")), \(transcript.unparsableCount) unparsable; quirks: "
                + (quirks.isEmpty ? "none" : TerminalText.line(quirks)))
    }

    private func line(_ response: ResponseInspection) -> String {
        let said = TerminalText.line(ResponseText(response).words)
        guard console.isTerminal else { return "\(response.offset)\t\(response.kind)\t\(said)" }
        let place = String(response.offset)
        let start = String(repeating: " ", count: max(0, 8 - place.count)) + place
        let kind = TerminalText.padded(response.kind, to: 14)
        let style = console.style
        return style.dim(start) + "  " + (response.unparsable == nil ? kind : style.red(kind)) + "  "
            + TerminalText.truncated(said, to: max(20, console.width - 26))
    }
}
