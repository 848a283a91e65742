import Accounts
import MailStore
import Models

/// Checks the file of the store, and frees disk space that it no longer needs.
public struct StoreCare: Sendable {
    let workspace: Workspace
    let store: Store

    /// A problem in the store, with the next step.
    public struct Defect: Sendable {
        public var code: String
        public var table: String?
        /// The number of affected rows.
        public var count: Int
        public var words: String
        public var next: String
    }

    public struct Check: Sendable {
        public var path: String
        /// Bytes of the file and its write-ahead log.
        public var bytes: Int64
        /// Bytes of unused pages.
        public var free: Int64
        public var messages: Int
        /// Bytes of the stored headers and texts.
        public var contents: Int64
        public var defects: [Defect]
    }

    public struct Compaction: Sendable {
        public var path: String
        public var before: Int64
        public var after: Int64
    }

    public var path: String { workspace.storeFolder + "/store.sqlite" }
    public var bytes: Int64 { store.bytesOnDisk }
    /// Bytes of the cached complete messages beside the store.
    public var originalBytes: Int64 { OriginalCache(workspace).bytesOnDisk }

    public func verify(_ stage: (String) -> Void = { _ in }) throws -> Check {
        try Problem.wrap {
            let findings = try store.verify(stage)
            let isReadable = !findings.contains { $0.code == "damaged-file" }
            let size = isReadable ? try store.size() : nil
            return Check(
                path: path, bytes: bytes, free: size?.free ?? 0, messages: size?.messages ?? 0,
                contents: size?.contents ?? 0, defects: findings.map { Self.defect($0) })
        }
    }

    private static func defect(_ finding: StoreFinding) -> Defect {
        Defect(
            code: finding.code, table: finding.table, count: finding.count, words: finding.words,
            next: "opus store rebuild")
    }

    public func compact(_ stage: (String) -> Void = { _ in }) throws -> Compaction {
        try Problem.wrap {
            let before = bytes
            try store.compact(stage)
            return Compaction(path: path, before: before, after: bytes)
        }
    }
}
