import Accounts
import Models
import TestSupport

extension TemporaryFolder {
    /// Writes `opus.yaml` and reads it as a workspace of its own.
    func load(_ text: String) throws -> (workspace: Workspace?, diagnostics: [Diagnostic]) {
        try write(text, to: "opus.yaml")
        guard
            let location = Workspace.locate(
                explicit: nil, environment: ["HOME": "/home/ana"], currentDirectory: path)
        else { return (nil, []) }
        return Workspace.load(location)
    }
}

extension Diagnostic {
    /// `3:5 C004 message | suggestion`.
    var summary: String { "\(line):\(column) \(code) \(message)" + (suggestion.map { " | " + $0 } ?? "") }
}
