/// The version of a task file on which the store and the folder last agreed. All later versions are compared with it.
///
/// `TaskFiles` makes these records, and the store keeps them. If a later scan finds the same version, nothing changed:
/// for example, opus wrote the file itself.
public struct TodoFile: Hashable, Codable, Sendable {
    /// The content of the file.
    public var todo: Todo
    /// The path below the task folder: `next/0f3c….ics`. opus never parses the name.
    public var path: String
    public var size: Int
    public var modifiedNanoseconds: Int64
    public var inode: UInt64
    /// SHA-256 of the raw bytes, in hex.
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
