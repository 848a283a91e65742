import Accounts
import Crypto
import Foundation
import Inspection
import Models

/// Saves text that arrived through a pipe and exists nowhere else, if the draft cannot be saved.
public enum RescuedText {
    /// Writes the text to the first folder that works, and returns the path; nil: none works.
    public static func keep(_ text: String, _ options: SessionOptions) -> String? {
        let name = "opus-text-\(Hex.encode(RandomBytes.make(count: 4))).txt"
        for folder in folders(options) {
            if let path = try? SafeFile.write(Array(text.utf8), named: name, in: folder) {
                return path
            }
        }
        return nil
    }

    /// The workspace first, then folders on other file systems, because the disk of the workspace may be
    /// full.
    private static func folders(_ options: SessionOptions) -> [String] {
        var folders: [String] = []
        if let workspace = try? options.loadWorkspace() {
            let editing = workspace.storeFolder + "/editing"
            try? FileManager.default.createDirectory(
                atPath: editing, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            folders.append(editing)
        }
        folders += [options.environment["HOME"], options.environment["TMPDIR"]].compactMap(\.self)
        return folders + ["/tmp", "/dev/shm"]
    }
}
