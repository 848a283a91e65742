import CLinux
public import Glibc

/// The two renames that cannot lose a file, and replacements for file systems that lack them.
///
/// Names are C strings relative to an open folder, because names of other programs need not be UTF-8.
public struct Renaming: Sendable {
    public typealias Call =
        @Sendable (_ folder: Int32, _ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> Int32

    /// Both calls return 0 or the error number.
    public var noReplace: Call
    public var exchange: Call

    public init(noReplace: @escaping Call, exchange: @escaping Call) {
        self.noReplace = noReplace
        self.exchange = exchange
    }

    public static let system = Renaming(
        noReplace: { opus_rename_noreplace_in($0, $1, $2) },
        exchange: { opus_rename_exchange_in($0, $1, $2) })

    /// Whether the error number means that the file system lacks the call.
    public static func isUnsupported(_ number: Int32) -> Bool {
        number == EINVAL || number == ENOSYS || number == ENOTSUP
    }

    /// Moves a file to an unused name. Returns 0 or the error number: `EEXIST`: the name exists; `ENOENT`: the file is
    /// gone.
    public func moveToFreeName(
        from: UnsafePointer<CChar>, to: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD
    ) -> Int32 {
        let number = noReplace(folder, from, to)
        guard Self.isUnsupported(number) else { return number }
        // Creates the second name, then removes the first one.
        guard linkat(folder, from, folder, to, 0) == 0 else { return errno }
        return unlinkat(folder, from, 0) == 0 ? 0 : errno
    }
}
