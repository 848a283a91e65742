import Files
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
        let number = Renaming.system.moveToFreeName(from: old.cString, to: new.cString)
        switch number {
        case 0: return .done
        case ENOENT: return .missing
        case EEXIST: return .taken
        case _: throw .system(number, old)
        }
    }
}
