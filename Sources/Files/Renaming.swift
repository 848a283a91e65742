import CLinux
public import Glibc

/// The two renames that cannot lose a file, and what replaces them where the file system has none.
///
/// Names are C strings, because the names of other programs need not be UTF-8. They are relative to an open folder.
public struct Renaming: Sendable {
    public typealias Call =
        @Sendable (_ folder: Int32, _ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32

    /// Both return 0 or the error number.
    public var noReplace: Call
    public var exchange: Call

    public init(noReplace: @escaping Call, exchange: @escaping Call) {
        self.noReplace = noReplace
        self.exchange = exchange
    }

    public static let system = Renaming(
        noReplace: { opus_rename_noreplace_in($0, $1, $2) },
        exchange: { opus_rename_exchange_in($0, $1, $2) })

    /// Whether an error number means "not on this file system".
    public static func isUnsupported(_ number: Int32) -> Bool {
        number == EINVAL || number == ENOSYS || number == ENOTSUP
    }

    /// Moves a file to a name that is free; returns 0 or the error number: `EEXIST` where the name is taken, `ENOENT`
    /// where the file is gone.
    public func moveToFreeName(
        from: UnsafePointer<CChar>, to: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD
    ) -> Int32 {
        let number = noReplace(folder, from, to)
        guard Self.isUnsupported(number) else { return number }
        // A second name, then the first one goes.
        guard linkat(folder, from, folder, to, 0) == 0 else { return errno }
        return unlinkat(folder, from, 0) == 0 ? 0 : errno
    }
}
