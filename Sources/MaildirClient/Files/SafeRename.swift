import CLinux
import Glibc

/// Renames that never replace a file.
enum SafeRename {
    enum Outcome {
        case done
        /// The old name is gone.
        case missing
        /// The new name is taken.
        case taken
    }

    static func rename(_ old: BytePath, to new: BytePath) throws(MaildirError) -> Outcome {
        let number = opus_rename_noreplace(old.cString, new.cString)
        switch number {
        case 0: return .done
        case ENOENT: return .missing
        case EEXIST: return .taken
        case EINVAL, ENOSYS: return try linkInstead(old, to: new)
        case _: throw .system(number, old)
        }
    }

    /// For file systems without RENAME_NOREPLACE: a second name, then the first one goes.
    private static func linkInstead(_ old: BytePath, to new: BytePath) throws(MaildirError) -> Outcome {
        guard link(old.cString, new.cString) == 0 else {
            let number = errno
            if number == ENOENT { return .missing }
            if number == EEXIST { return .taken }
            throw .system(number, old)
        }
        guard unlink(old.cString) == 0 else { throw .system(errno, old) }
        return .done
    }
}
