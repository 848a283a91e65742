/// The version of a task file on which the store and the folder last agreed: the base of every comparison.
///
/// `TaskFiles` makes these records, the store keeps them. A later scan that finds the same version is no
/// change (the echo of our own writes).
public struct TodoFile: Hashable, Codable, Sendable {
    /// What the file said.
    public var todo: Todo
    /// The path below the task folder: `next/0f3c….ics`. The name is never parsed.
    public var path: String
    public var size: Int
    public var modifiedNanoseconds: Int64
    public var inode: UInt64
    /// SHA-256 of the raw bytes, hex.
    public var digest: String

    public init(
        todo: Todo, path: String, size: Int, modifiedNanoseconds: Int64, inode: UInt64, digest: String
    ) {
        self.todo = todo
        self.path = path
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
        self.inode = inode
        self.digest = digest
    }
}
