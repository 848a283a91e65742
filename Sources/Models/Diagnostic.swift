/// One finding in a text file that a person wrote: where it is, what is wrong, and what to write instead.
///
/// It is data only: the code that shows it makes the sentence and the caret.
public struct Diagnostic: Hashable, Codable, Sendable {
    public enum Severity: String, Hashable, Codable, Sendable {
        case error
        case warning
    }

    public var severity: Severity
    /// The code, such as `R012`. It never changes, and `docs/errors.md` explains it.
    public var code: String
    /// The path as the user would type it.
    public var file: String
    /// 1-based; 0 when the finding is about the whole file.
    public var line: Int
    /// 1-based, in Characters.
    public var column: Int
    /// Characters that the caret line underlines, at least 1.
    public var length: Int
    /// A lower-case clause without a full stop.
    public var message: String
    /// The text under the caret: `did you mean 'from'?`
    public var suggestion: String?
    /// The source line, for the caret display.
    public var sourceLine: String?

    public init(
        _ severity: Severity = .error, code: String, file: String, line: Int = 0, column: Int = 0,
        length: Int = 1,
        message: String, suggestion: String? = nil, sourceLine: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.message = message
        self.suggestion = suggestion
        self.sourceLine = sourceLine
    }
}
