import Files
import Foundation
import Glibc
import Models

/// Copies the task files unchanged, list by list. Does not follow symbolic links.
struct TaskExport {
    let source: String
    let target: String

    /// The maximum depth of folders.
    private static let deepest = 8
    private static let largest = 64 << 20

    init(from source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// - Returns: The number of copied files.
    func run() throws -> Int {
        try StoreExport.makeNew(target)
        return try copy("", depth: 0)
    }

    private func copy(_ path: String, depth: Int) throws -> Int {
        let folder = source + path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
        var count = 0
        for name in names where !name.hasPrefix(".") {
            let below = path + "/" + name
            var status = stat()
            guard lstat(source + below, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth < Self.deepest:
                try StoreExport.makeNew(target + below)
                count += try copy(below, depth: depth + 1)
            case S_IFREG where name.lowercased().hasSuffix(".ics") && status.st_size <= Self.largest:
                guard let bytes = FileManager.default.contents(atPath: source + below) else { continue }
                do throws(FileFailure) {
                    try NewFile.write(Array(bytes), to: target + below)
                } catch {
                    throw Problem(
                        "cannot-export", exit: .cannotCreate,
                        message: "cannot write \(target + below): \(String(cString: strerror(error.number)))",
                        next: ["free some space, then export to a new folder"])
                }
                count += 1
            case _: continue
            }
        }
        return count
    }
}
