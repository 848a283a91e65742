import Files
import Foundation
import Glibc
import Models

/// `opus.yaml` as a file: read, checked and written as a whole.
public struct ConfigFile: Sendable {
    public let location: WorkspaceLocation
    public let text: String

    /// Why the file could not be read or written.
    public enum Failure: Error, Hashable, Sendable {
        case missing
        case unreadable(String)
        /// Another program has changed it meanwhile.
        case changed
        case unwritable(String)
    }

    public init(_ location: WorkspaceLocation) throws(Failure) {
        self.location = location
        text = try Self.read(location)
    }

    private static func read(_ location: WorkspaceLocation) throws(Failure) -> String {
        switch Disk.read(location.configFile, limit: 1 << 20) {
        case .text(let text): return text
        case .missing: throw .missing
        case .unreadable(let reason): throw .unreadable(reason)
        }
    }

    /// Replaces the file; its mode is kept, and for a symbolic link its target is replaced.
    public func write(_ new: String) throws(Failure) {
        guard try Self.read(location) == text else { throw .changed }
        guard let pointer = realpath(location.configFile, nil) else { throw .unwritable(Self.reason(errno)) }
        let target = String(cString: pointer)
        free(pointer)
        var status = stat()
        guard stat(target, &status) == 0 else { throw .unwritable(Self.reason(errno)) }
        let temporary = Paths.join(Paths.parent(target), ".\(Paths.name(target)).\(getpid())")
        do throws(FileFailure) {
            try ReplacedFile.write(
                Array(new.utf8), to: target, through: temporary, mode: status.st_mode & 0o777)
        } catch {
            throw .unwritable(Self.reason(error.number))
        }
    }

    private static func reason(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

extension WorkspaceLocation {
    /// A file with the same name and the extension `.yml`, which opus does not read.
    public var misnamedFile: String? {
        let other = Paths.join(root, "opus.yml")
        return Disk.isFile(other) ? other : nil
    }
}
