import Glibc
import Models
import Pipeline

/// Text read from standard input. If saving its draft fails, the text is written to a file, so that it is not lost.
struct PipedText {
    let text: String
    let options: SessionOptions
    let console: Console

    /// Runs `body`, which saves the text; keeps the text if that fails.
    func saved<Result>(by body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure where !text.allSatisfy(\.isWhitespace) {
            let path = RescuedText.keep(text, options)
            // The last resort: standard output, as the original bytes.
            if path == nil { console.print(bytes: Array(text.utf8)) }
            let words =
                path.map { "the text is kept in \($0)" }
                ?? "the text could not be kept in any file: it is on standard output"
            // Findings in the settings are printed in their own form.
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
