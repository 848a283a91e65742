import Crypto
import Foundation
import Glibc

/// The state of the task folder, found without reading its files: enough to see whether anything changed, and
/// how many files are missing.
struct TaskFolderLook: Hashable, Sendable {
    /// Computed from the paths, sizes, times and inode numbers of all task files.
    var digest: String
    /// The number of task files in each list.
    var lists: [String: Int]

    var total: Int { lists.values.reduce(0, +) }

    init(_ folder: String) {
        let manager = FileManager.default
        var lists: [String: Int] = [:]
        var hash = SHA256.Incremental()
        for list in Self.names(in: folder, manager) {
            var number = 0
            for name in Self.names(in: folder + "/" + list, manager) where name.hasSuffix(".ics") {
                var status = stat()
                guard lstat("\(folder)/\(list)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG
                else { continue }
                number += 1
                let (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
                hash.update(
                    Array(
                        "\(list)/\(name)\0\(status.st_size) \(seconds).\(nanoseconds) \(status.st_ino)\n"
                            .utf8))
            }
            if number > 0 { lists[list] = number }
        }
        self.lists = lists
        digest = hash.finalize().map { String($0, radix: 16) }.joined(separator: ".")
    }

    private static func names(in folder: String, _ manager: FileManager) -> [String] {
        ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// How many tasks may disappear at once before opus suspects a mistake; the limit is the same as for task
    /// files.
    static func brake(_ total: Int) -> Int { max(5, total / 10) }
}
