public import Glibc

/// Writes a new file: with all of its bytes, or not at all.
///
/// A name may come from a stranger, and another program may create it at any moment. So the file is created
/// exclusively, and never through a link.
public enum NewFile {
    /// Writes the file and closes it. After a failure, the incomplete file is removed. An existing file stays.
    ///
    /// - Parameters:
    ///   - bytes: The whole content.
    ///   - name: A path, or a name in `folder`.
    ///   - folder: An open folder; the default is the current one.
    ///   - mode: The mode; the default is that only its owner can read it.
    ///   - isDurable: Whether the bytes must be on disk when this returns.
    ///   - adjust: Sets times, owner or mode of the open file, after its bytes.
    /// - Returns: The result of `fstat` for the file.
    /// - Throws: `EEXIST`: the name exists.
    @discardableResult
    public static func write(
        _ bytes: [UInt8], to name: UnsafePointer<CChar>, in folder: Int32 = AT_FDCWD, mode: mode_t = 0o600,
        isDurable: Bool = true, adjust: (Int32) throws(FileFailure) -> Void = { _ throws(FileFailure) in }
    ) throws(FileFailure) -> stat {
        let file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard file >= 0 else { throw .last }
        do throws(FileFailure) {
            let status: stat
            do throws(FileFailure) {
                status = try fill(file, bytes, isDurable: isDurable, adjust: adjust)
            } catch {
                _ = close(file)
                throw error
            }
            // Network file systems report a full disk at this call.
            guard close(file) == 0 else { throw .last }
            return status
        } catch {
            _ = unlinkat(folder, name, 0)
            throw error
        }
    }

    private static func fill(
        _ file: Int32, _ bytes: [UInt8], isDurable: Bool, adjust: (Int32) throws(FileFailure) -> Void
    ) throws(FileFailure) -> stat {
        try writeAll(bytes, to: file)
        try adjust(file)
        if isDurable { try Durable.sync(file: file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .last }
        return status
    }

    /// Writes all bytes to an open file, in as many calls as needed.
    public static func writeAll(_ bytes: [UInt8], to file: Int32) throws(FileFailure) {
        let number: Int32 = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count, let start = buffer.baseAddress {
                let count = Glibc.write(file, start + done, buffer.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count == 0 ? EIO : errno }
                done += count
            }
            return 0
        }
        guard number == 0 else { throw FileFailure(number: number) }
    }
}
