import Foundation
import Glibc
import TestSupport
import Testing

@testable import Files

@Suite("Writing files")
struct WritingTests {
    private func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func withTemporaryFolder(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try withExtendedLifetime(folder) { try body(folder.path) }
    }

    private func names(_ folder: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test("a new file has all bytes, only its owner can read it, and its status is returned")
    func new() throws {
        try withTemporaryFolder { folder in
            let bytes = [UInt8](repeating: 7, count: 3_000_000)
            let status = try NewFile.write(bytes, to: folder + "/a")
            #expect(status.st_size == 3_000_000 && mode(folder + "/a") == 0o600)
            #expect(FileManager.default.contents(atPath: folder + "/a") == Data(bytes))
        }
    }

    @Test("an existing file or link of that name is kept")
    func taken() throws {
        try withTemporaryFolder { folder in
            try NewFile.write(Array("mine".utf8), to: folder + "/a", isDurable: false)
            #expect(symlink(folder + "/elsewhere", folder + "/link") == 0)
            for name in ["/a", "/link"] {
                #expect(throws: FileFailure(number: EEXIST)) { try NewFile.write([1], to: folder + name) }
            }
            #expect(text(folder + "/a") == "mine" && text(folder + "/elsewhere") == nil)
        }
    }

    @Test("a file that cannot be written completely is removed")
    func unfinished() throws {
        try withTemporaryFolder { folder in
            #expect(throws: FileFailure(number: EPERM)) {
                try NewFile.write([1], to: folder + "/a") { _ throws(FileFailure) in
                    throw FileFailure(number: EPERM)
                }
            }
            #expect(names(folder) == [])
        }
    }

    @Test("a file is replaced completely, even after a failed attempt")
    func replaced() throws {
        try withTemporaryFolder { folder in
            try NewFile.write(Array("old".utf8), to: folder + "/a")
            try NewFile.write(Array("left".utf8), to: folder + "/a.tmp")
            try ReplacedFile.write(
                Array("new".utf8), to: folder + "/a", through: folder + "/a.tmp", mode: 0o666)
            #expect(text(folder + "/a") == "new" && mode(folder + "/a") == 0o666)
            #expect(names(folder) == ["a"])
        }
    }

    @Test("a file that cannot be replaced is kept, and nothing is left beside it")
    func unreplaced() throws {
        try withTemporaryFolder { folder in
            #expect(mkdir(folder + "/a", 0o700) == 0)
            #expect(throws: FileFailure.self) {
                try ReplacedFile.write([1], to: folder + "/a", through: folder + "/a.tmp")
            }
            #expect(names(folder) == ["a"])
        }
    }

    @Test(
        "a move never replaces a file, with or without Linux's own rename",
        arguments: [
            Renaming.system, Renaming(noReplace: { _, _, _ in ENOSYS }, exchange: { _, _, _ in ENOSYS }),
        ])
    func move(renaming: Renaming) throws {
        try withTemporaryFolder { folder in
            try NewFile.write(Array("a".utf8), to: folder + "/a")
            try NewFile.write(Array("b".utf8), to: folder + "/b")
            #expect(renaming.moveToFreeName(from: folder + "/a", to: folder + "/b") == EEXIST)
            #expect(renaming.moveToFreeName(from: folder + "/a", to: folder + "/c") == 0)
            #expect(renaming.moveToFreeName(from: folder + "/a", to: folder + "/d") == ENOENT)
            #expect(text(folder + "/b") == "b" && text(folder + "/c") == "a" && text(folder + "/a") == nil)
        }
    }

    @Test("a folder can be synced; a folder that is missing is an error")
    func sync() throws {
        try withTemporaryFolder { folder in
            try Durable.sync(folderAt: folder)
            #expect(throws: FileFailure(number: ENOENT)) { try Durable.sync(folderAt: folder + "/none") }
        }
    }
}
