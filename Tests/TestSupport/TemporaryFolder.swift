public import Foundation

/// A folder of its own, which goes when the value goes.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        // Resolved, because the system's temporary folder may be behind a link.
        let base = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        path = base + "/opus-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func url(_ relative: String) -> URL { URL(fileURLWithPath: path + "/" + relative) }

    /// Writes a file, with the folders above it.
    public func write(_ text: String, to relative: String, executable: Bool = false) throws {
        try FileManager.default.createDirectory(
            at: url(relative).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url(relative))
        if executable {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: url(relative).path)
        }
    }

    public func mode(_ relative: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url(relative).path)[.posixPermissions] as? Int
    }
}
