import Glibc
import Models
import Pipeline

/// Text that was read from standard input: when its draft cannot be saved, it is put where it can be found again.
struct PipedText {
    let text: String
    let options: SessionOptions
    let console: Console

    /// Runs what saves the text. Whatever goes wrong before that is done, the text is kept.
    func saved<Result>(by body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure where !text.allSatisfy(\.isWhitespace) {
            let path = RescuedText.keep(text, options)
            // The last place that is left. Bytes as they came, so that they can be used again.
            if path == nil { console.print(bytes: Array(text.utf8)) }
            let words =
                path.map { "the text is kept in \($0)" }
                ?? "the text could not be kept in any file: it is on standard output"
            // Findings in the settings are not one problem, and have their own form.
            guard !(failure is DiagnosticFailure), !(failure is Outcome) else {
                console.note(words)
                throw failure
            }
            var problem = Problem(failure)
            problem.details.append(words)
            if let path { problem.next.append("--body \(path)") }
            throw problem
        }
    }
}
