import Accounts
import Foundation
import Models

/// A folder of its own, gone when the test ends.
final class TemporaryFolder {
    let path: String

    init() throws {
        // Resolved, because the system's temporary folder may be behind a link.
        let base = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        path = base + "/opus-accounts-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to relative: String, executable: Bool = false) throws {
        let url = URL(fileURLWithPath: path + "/" + relative)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        if executable {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        }
    }

    func mode(_ relative: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + relative)[.posixPermissions] as? Int
    }

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
