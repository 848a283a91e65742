import Accounts
import Foundation
import Glibc

/// A source of rule files: a folder, or the same folder in a git revision.
struct RuleSource: Sendable {
    /// Why a file cannot be used.
    struct ReadFailure: Error {
        let message: String
        var remedy: String?

        init(message: String) { self.message = message }

        init(_ doubt: PathTrust.Doubt) {
            message = "other users could decide about your mail: \(doubt.sentence)"
            remedy = doubt.remedy
        }
    }

    /// The source as the user named it.
    let title: String
    /// The rule files, in reading order.
    let names: [String]
    /// The name of a rule file in findings.
    let shownName: @Sendable (String) -> String
    /// Reads a file by its path relative to the folder.
    let read: @Sendable (String) -> Result<String, ReadFailure>
    /// The folder does not exist.
    var isMissing = false
    /// Why the files could not be listed. Without rules, no message is protected.
    var unlisted: ReadFailure?

    /// The maximum size of a rule file, 1 MiB; a larger one is reported and not read.
    static let fileLimit = 1 << 20

    /// The names of rule files in a folder.
    static func ruleFiles(_ names: [String]) -> [String] {
        names.filter { name in
            let lower = name.lowercased()
            return (lower.hasSuffix(".yaml") || lower.hasSuffix(".yml")) && !name.hasPrefix(".")
        }.sorted()
    }

    /// A folder on disk; a missing folder has no files. In findings, paths below `root` are relative to it.
    ///
    /// With `trust`, for rules that decide about mail, files that other users may have written are not read.
    static func folder(_ path: String, shownBelow root: String, trust: PathTrust? = nil) -> RuleSource {
        let root = root + "/"
        let shown = path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        let isMissing = names == nil && access(path, F_OK) != 0 && errno == ENOENT
        let doubt = trust?.doubt(about: path)
        return RuleSource(
            title: shown, names: doubt == nil ? ruleFiles(names ?? []) : [], shownName: { shown + "/" + $0 },
            read: { name in
                let file = path + "/" + name
                let text = readFile(file)
                // A device or a pipe is reported as such, whatever its permissions.
                if case .success = text, let doubt = trust?.doubt(about: file) {
                    return .failure(ReadFailure(doubt))
                }
                return text
            },
            isMissing: isMissing,
            unlisted: names != nil || isMissing
                ? doubt.map(ReadFailure.init)
                : ReadFailure(message: "is not a folder that can be read; check its permissions"))
    }

    /// Follows symbolic links, but never reads a folder or a device, and never waits for the other end of a
    /// FIFO.
    private static func readFile(_ path: String) -> Result<String, ReadFailure> {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            return .failure(ReadFailure(message: "cannot be opened: \(String(cString: strerror(errno)))"))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failure(ReadFailure(message: "is not a regular file"))
        }
        guard let bytes = try? handle.read(upToCount: fileLimit + 1) ?? Data() else {
            return .failure(ReadFailure(message: "cannot be read"))
        }
        return text(Array(bytes))
    }

    static func text(_ bytes: [UInt8]) -> Result<String, ReadFailure> {
        guard bytes.count <= fileLimit else {
            return .failure(ReadFailure(message: "is longer than \(fileLimit) bytes; split it"))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .failure(ReadFailure(message: "is not UTF-8; save it as UTF-8"))
        }
        return .success(text)
    }
}
