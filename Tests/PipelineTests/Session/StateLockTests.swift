import Foundation
import Glibc
import Models
import TestSupport
import Testing

@testable import Pipeline

/// One process at a time changes a store.
@Suite("State lock")
struct StateLockTests {
    private let path = FileManager.default.temporaryDirectory.path + "/opus-lock-\(UUID().uuidString)"

    @Test("a second holder gets a temporary failure that names the first")
    func secondHolder() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try StateLock.take(path: path)
        let refusal = try #require(throws: Problem.self) { _ = try StateLock.take(path: path) }
        withExtendedLifetime(first) {}
        #expect(refusal.code == "locked")
        #expect(refusal.exit == .temporary)
        #expect(refusal.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
    }

    @Test("opus waits for a brief holder of the lock; a brief holder itself does not wait")
    func briefHolder() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var first: StateLock? = try StateLock.take(path: path, isBrief: true)
        #expect(throws: Problem.self) { _ = try StateLock.take(path: path, isBrief: true) }
        let holder = Holder(first)
        first = nil
        Thread.detachNewThread {
            usleep(200_000)
            holder.release()
        }
        _ = try StateLock.take(path: path)
    }

    @Test("opus waits for another command as long as it may, and notes it once")
    func patience() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let notes = Locked<[Int?]>([])
        let waiting = StateLock.Patience(longest: .seconds(30)) { holder in notes.change { $0.append(holder) }
        }
        var first: StateLock? = try StateLock.take(path: path)
        let holder = Holder(first)
        first = nil
        Thread.detachNewThread {
            usleep(1_500_000)
            holder.release()
        }
        _ = try StateLock.take(path: path, waiting: waiting)
        #expect(notes.value == [Int(ProcessInfo.processInfo.processIdentifier)])
        let last = try StateLock.take(path: path)
        let impatient = StateLock.Patience(longest: .milliseconds(50))
        let refusal = try #require(throws: Problem.self) {
            _ = try StateLock.take(path: path, waiting: impatient)
        }
        withExtendedLifetime(last) {}
        #expect(refusal.code == "locked")
    }

    @Test("opus waits for a holder that has not written its name yet")
    func newHolder() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let first = try StateLock.take(path: path)
            withExtendedLifetime(first) {}
        }
        #expect(FileManager.default.contents(atPath: path)?.isEmpty == true, "nobody holds it")
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        Thread.detachNewThread {
            usleep(200_000)
            close(descriptor)
        }
        _ = try StateLock.take(path: path)
    }

    @Test("a process that only asks whether the lock is held is not mistaken for its holder")
    func askers() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let first = try StateLock.take(path: path)
            #expect(StateLock.isHeld(path: path))
            withExtendedLifetime(first) {}
        }
        let other = Glibc.open(path, O_RDWR | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_SH | LOCK_NB) == 0, "as another opus status does")
        #expect(!StateLock.isHeld(path: path))
    }

    @Test("a lock whose file was deleted is no longer in its place")
    func deletedFile() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try StateLock.take(path: path)
        #expect(first.isInPlace(path))
        try FileManager.default.removeItem(atPath: path)
        #expect(!first.isInPlace(path))
        let second = try StateLock.take(path: path)
        #expect(second.isInPlace(path))
        #expect(!first.isInPlace(path))
    }

    private final class Holder: @unchecked Sendable {
        private var lock: StateLock?
        init(_ lock: StateLock?) { self.lock = lock }
        func release() { lock = nil }
    }

    @Test("the lock ends with its holder, even if its file remains")
    func goesWithHolder() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let first = try StateLock.take(path: path)
            withExtendedLifetime(first) {}
        }
        #expect(FileManager.default.fileExists(atPath: path))
        _ = try StateLock.take(path: path)
    }

    @Test("a symbolic link is not followed")
    func symbolicLink() throws {
        let target = path + "-target"
        defer {
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.removeItem(atPath: target)
        }
        try Data("precious".utf8).write(to: URL(filePath: target))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        let refusal = try #require(throws: Problem.self) { _ = try StateLock.take(path: path) }
        #expect(refusal.code == "cannot-lock")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "precious")
    }
}
