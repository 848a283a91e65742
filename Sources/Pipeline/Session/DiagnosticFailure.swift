public import Models

/// Findings in files of the user; each is shown with its position.
public struct DiagnosticFailure: Error, Sendable {
    public let diagnostics: [Diagnostic]
    public let exit: ExitStatus

    public init(_ diagnostics: [Diagnostic], exit: ExitStatus) {
        self.diagnostics = diagnostics
        self.exit = exit
    }
}
