public import Glibc

/// A file that is replaced as a whole: readers see the old bytes or the new ones.
public enum ReplacedFile {
    /// Writes a temporary file and renames it over the old one.
    ///
    /// - Parameters:
    ///   - bytes: the whole new content.
    ///   - name: a path, or a name in `folder`.
    ///   - temporary: a free name in the same folder. What a crash left there is removed first.
    ///   - folder: an open folder; the default is the current one.
    ///   - mode: of the new file, whatever the umask says.
    ///   - isDurable: whether its bytes are on the disk when this returns; else the power may go and leave a broken file.
    /// - Throws: the error of the call that failed; the old file is as it was.
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
