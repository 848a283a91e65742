import Files
import Foundation
import Glibc
import Models

/// What an earlier setup of the task sync left: its configuration, and what the sync program remembers of both sides.
///
/// With another server or user, that memory would mean that all tasks were deleted there, and the program would delete them
/// here. So the first sync with a new place has no memory. If it fails, the earlier setup comes back.
struct EarlierSetup {
    private let file: String
    private let status: String
    /// nil: there was no configuration.
    private let text: Data?
    /// Whether the new setup is of another server or user.
    let isOtherPlace: Bool

    private var aside: String { status + ".earlier" }

    /// Puts the memory aside if it is of another place.
    init(_ new: SyncProgramText, file: String) throws {
        self.file = file
        status = new.statusFolder
        text = FileManager.default.contents(atPath: file)
        let lines = text.map {
            Set(String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init))
        }
        isOtherPlace = lines.map { !$0.isSuperset(of: new.place) } ?? true
        guard isOtherPlace else { return }
        try? FileManager.default.removeItem(atPath: aside)
        guard rename(status, aside) == 0 || errno == ENOENT else {
            throw Problem(
                "cannot-write", exit: .cannotCreate,
                message: "\(status) cannot be put aside: \(String(cString: strerror(errno)))")
        }
    }

    /// The new setup works.
    func forget() {
        if isOtherPlace { try? FileManager.default.removeItem(atPath: aside) }
    }

    /// The new setup failed.
    func bringBack() {
        if isOtherPlace {
            try? FileManager.default.removeItem(atPath: status)
            rename(aside, status)
        }
        guard let text else {
            unlink(file)
            return
        }
        if FileManager.default.contents(atPath: file) != text {
            try? ReplacedFile.write(Array(text), to: file, through: file + ".new")
        }
    }

    /// Forgets what the program remembers of these lists, so that each side gets the tasks of the other.
    func forgetLists(_ lists: [SyncProgram.Emptied]) {
        for list in lists {
            let folder = status + "/" + list.pair.prefix { $0 != "/" }
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            where name.hasPrefix(list.list + ".") && !name.dropFirst(list.list.count + 1).contains(".") {
                unlink(folder + "/" + name)
            }
        }
    }
}
