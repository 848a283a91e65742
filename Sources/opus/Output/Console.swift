import CLinux
import Documents
import Foundation
import Glibc
import Models
import Pipeline
import Rules
import Synchronization

/// The output of a command: results on standard output, everything else on standard error.
struct Console {
    let isJSON: Bool
    let isQuiet: Bool
    let isTerminal: Bool
    let width: Int
    let style: Style
    private let errorStyle: Style
    private let environment: [String: String]

    /// `forPeople`: print tables even to a pipe, as the demo does.
    init(
        isJSON: Bool, isQuiet: Bool, color: Style.Choice, environment: [String: String],
        forPeople: Bool = false
    ) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        self.environment = environment
        isTerminal = forPeople || isatty(STDOUT_FILENO) == 1 || environment["OPUS_FORCE_TTY"] != nil
        let columns = Int(environment["COLUMNS"] ?? "") ?? Int(opus_terminal_columns(STDOUT_FILENO))
        width = columns > 20 ? min(columns, 400) : 80
        style = Style(choice: color, environment: environment, isTerminal: isatty(STDOUT_FILENO) == 1)
        errorStyle = Style(choice: color, environment: environment, isTerminal: isatty(STDERR_FILENO) == 1)
    }

    /// Whether opus can ask the user a question.
    var canAsk: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && environment["OPUS_NO_INPUT"] == nil
    }

    func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes many lines at once.
    func print(lines: some Sequence<String>) {
        var buffer: [UInt8] = []
        for line in lines {
            buffer += line.utf8
            buffer.append(UInt8(ascii: "\n"))
            guard buffer.count > 1 << 16 else { continue }
            write(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        write(buffer)
    }

    /// A table for people, tab-separated for programs.
    func print(_ table: Table, heading: Bool = true) {
        if table.rows.isEmpty { return }
        print(isTerminal ? table.text(width: width, style: style, heading: heading) : table.separated)
    }

    func print(json document: some Encodable) throws {
        write(try DocumentText.pretty(document), to: STDOUT_FILENO)
    }

    /// A document on one line, for a sequence of documents.
    func print(jsonLine document: some Encodable) throws {
        write(try DocumentText.line(document), to: STDOUT_FILENO)
    }

    /// Writes bytes unchanged into a file or pipe. On a terminal, control characters are escaped.
    func print(bytes: [UInt8]) {
        guard isatty(STDOUT_FILENO) == 1 else { return write(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        write(TerminalText.block(text), to: STDOUT_FILENO)
        if text.unicodeScalars.contains(where: {
            $0.isHarmfulOnTerminal && !"\r\n\t".unicodeScalars.contains($0)
        }) {
            note("Control characters are escaped on a terminal; a pipe or a file gets the exact bytes.")
        }
    }

    private func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) } }

    /// A remark on standard error; not with `--quiet` or `--json`.
    func note(_ text: String) {
        if !isQuiet, !isJSON { write(text + "\n", to: STDERR_FILENO) }
    }

    /// What a person must see to continue, on standard error, also with `--json` and `--quiet`.
    func tell(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// A warning on standard error, also with `--quiet`.
    func warn(_ text: String) {
        if !isJSON { write(text + "\n", to: STDERR_FILENO) }
    }

    /// A progress line that replaces the last one; only on a terminal.
    func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1, !isQuiet, !isJSON else { return }
        write("\r\u{1B}[K" + TerminalText.truncated(text, to: 79), to: STDERR_FILENO)
    }

    func endProgress() {
        guard isatty(STDERR_FILENO) == 1, !isQuiet, !isJSON else { return }
        write("\r\u{1B}[K", to: STDERR_FILENO)
    }

    /// Asks a yes-or-no question. Nothing is in progress meanwhile, so Ctrl-C ends the program at once.
    func ask(_ question: String) -> Bool { answer(to: question) ?? false }

    /// The same; nil when the input ended without an answer.
    func answer(to question: String) -> Bool? {
        guard let answer = line(question + " [y/N]")?.lowercased() else { return nil }
        return answer == "y" || answer == "yes"
    }

    /// Reads a word; empty at the end of the input.
    func read(_ question: String) -> String { line(question) ?? "" }

    /// The same; nil at the end of the input.
    func word(_ question: String) -> String? { line(question) }

    /// Reads a line that is not shown.
    func readSecret(_ question: String) -> String {
        let secret = SecretReader { write(question + " ", to: STDERR_FILENO) }.line()
        guard let secret else { return read(question) }
        note("")
        return secret.trimmingCharacters(in: .whitespaces)
    }

    private func line(_ question: String) -> String? {
        write(question + " ", to: STDERR_FILENO)
        let handler = signal(SIGINT, SIG_DFL)
        defer { _ = signal(SIGINT, handler) }
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }

    func report(_ problem: Problem) {
        if isJSON, let line = try? DocumentText.line(ErrorDocument(problem)) {
            return write(line, to: STDERR_FILENO)
        }
        write(ProblemText(problem, style: errorStyle).text + "\n", to: STDERR_FILENO)
    }

    /// `result`: what did not happen because of the errors.
    func report(_ failure: DiagnosticFailure, result: String = "nothing was done") {
        if isJSON {
            let problem = Problem(
                "diagnostics", exit: failure.exit,
                message: counted(failure.diagnostics.count, "finding"),
                details: failure.diagnostics.map { "\($0.file):\($0.line):\($0.column): \($0.message)" })
            return report(problem)
        }
        for diagnostic in failure.diagnostics {
            write(DiagnosticText.of(diagnostic) + "\n\n", to: STDERR_FILENO)
        }
        let errors = failure.diagnostics.filter { $0.severity == .error }.count
        write("\(errors) \(errors == 1 ? "error" : "errors"), so \(result)\n", to: STDERR_FILENO)
    }

    /// Rules whose tests fail do not triage.
    func report(_ failure: FailingRuleTests) {
        let names = failure.results.map { "\($0.file):\($0.line): \($0.name): \($0.detail)" }
        report(
            Problem(
                "rule-tests", exit: .badData,
                message: (names.count == 1 ? "one rule test fails" : "\(names.count) rule tests fail")
                    + ", so nothing is triaged",
                details: Array(names.prefix(5)) + (names.count > 5 ? ["and \(names.count - 5) more"] : []),
                next: ["opus rules test"]))
    }

    private static let lost = Mutex<Int32>(0)

    /// The error when results could not be written completely.
    static var lostResult: Problem? {
        let number = lost.withLock(\.self)
        guard number != 0 else { return nil }
        return Problem(
            "output", exit: .inputOutput, message: "the output could not be written completely",
            details: [String(cString: strerror(number))])
    }

    private func write(_ text: String, to descriptor: Int32) { write(Data(text.utf8), to: descriptor) }

    private func write(_ bytes: Data, to descriptor: Int32) {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// A reader that ended (`| head`) ends the output, not the work; a full disk is reported at the end.
    private func write(_ buffer: UnsafeRawBufferPointer, to descriptor: Int32) {
        var offset = 0
        while offset < buffer.count {
            let count = Glibc.write(
                descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if descriptor == STDOUT_FILENO, errno != EPIPE {
                    Self.lost.withLock { [errno] in $0 = errno }
                }
                return
            }
            offset += count
        }
    }
}

/// A problem as text: what, where, why, next.
struct ProblemText {
    let text: String

    init(_ problem: Problem, style: Style) {
        var lines = [style.red("opus:") + " " + TerminalText.line(problem.message)]
        if let place = problem.place { lines.append("  " + TerminalText.line(place)) }
        lines += problem.details.map { "  " + TerminalText.line($0) }
        if !problem.next.isEmpty {
            lines.append(
                "  next: " + problem.next.map { TerminalText.line($0) }.joined(separator: "     or  "))
        }
        text = lines.joined(separator: "\n")
    }
}
