public import Glibc

/// Replaces a file as a whole: readers see the old bytes or the new ones.
public enum ReplacedFile {
    /// Writes a temporary file and renames it over the old one.
    ///
    /// - Parameters:
    ///   - bytes: The whole new content.
    ///   - name: A path, or a name in `folder`.
    ///   - temporary: An unused name in the same folder. A file that a crash left there is removed first.
    ///   - folder: An open folder; the default is the current one.
    ///   - mode: The mode of the new file, whatever the umask is.
    ///   - isDurable: Whether the bytes must be on disk when this returns; otherwise a power failure may leave a broken
    /// file.
    /// - Throws: The error of the failed call; the old file is unchanged.
    public static func write(
        _ bytes: [UInt8], to name: UnsafePointer<CChar>, through temporary: UnsafePointer<CChar>,
        in folder: Int32 = AT_FDCWD, mode: mode_t = 0o600, isDurable: Bool = true
    ) throws(FileFailure) {
        _ = unlinkat(folder, temporary, 0)
        try NewFile.write(
            bytes, to: temporary, in: folder, mode: mode, isDurable: isDurable
        ) { file throws(FileFailure) in
            guard fchmod(file, mode) == 0 else { throw .last }
        }
        guard renameat(folder, temporary, folder, name) == 0 else {
            let failure = FileFailure.last
            _ = unlinkat(folder, temporary, 0)
            throw failure
        }
    }
}
