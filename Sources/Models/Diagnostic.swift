/// One finding in a text file that a person wrote: what, where, why, and what to write instead.
///
/// Data only: the sentence with its caret is made where it is shown.
public struct Diagnostic: Hashable, Codable, Sendable {
    public enum Severity: String, Hashable, Codable, Sendable {
        case error
        case warning
    }

    public var severity: Severity
    /// `R012`: stable, documented in `docs/errors.md`.
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
