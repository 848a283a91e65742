import Glibc
import Models
import Pipeline

/// Text from standard input. If opus cannot save it as a draft, it writes the text to a file.
struct PipedText {
    let text: String
    let options: SessionOptions
    let console: Console

    /// Runs `body`, which saves the text; if that fails, writes the text to a file.
    func saved<Result>(by body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let failure where !text.allSatisfy(\.isWhitespace) {
            let path = RescuedText.keep(text, options)
            // If that fails too, standard output gets the original bytes.
            if path == nil { console.print(bytes: Array(text.utf8)) }
            let words =
                path.map { "the text is kept in \($0)" }
                ?? "the text could not be kept in any file: it is on standard output"
            // These two are printed in their own form.
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
