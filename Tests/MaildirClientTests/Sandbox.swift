import Foundation
import MaildirClient
import Models
import TestSupport

/// A Maildir in a folder of its own, gone when the test ends.
final class Sandbox {
    let path: String
    let client: Maildir
    private let folder: TemporaryFolder

    init(folders: [MailboxRole: String] = [:]) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/mail"
        client = Maildir(root: path, account: AccountID("home"), folders: folders)
        try client.createRoot()
    }

    func write(_ text: String, to relative: String) throws {
        try folder.write(text, to: "mail/" + relative)
    }

    func link(_ relative: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + relative, withDestinationPath: target)
    }

    func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: path + "/" + old, toPath: path + "/" + new)
    }

    func read(_ relative: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + relative).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Every message file below the root, as `cur/a:2,S`.
    func files() -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.allObjects.compactMap { $0 as? String } ?? []
        return all.filter { name in
            ["cur", "new", "tmp"].contains { name.hasPrefix($0 + "/") || name.contains("/\($0)/") }
        }.sorted()
    }
}
