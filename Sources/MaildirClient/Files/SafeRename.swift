import Files
import Glibc

/// Renames a file without ever replacing another.
enum SafeRename {
    enum Outcome {
        case done
        /// The old name does not exist.
        case missing
        /// The new name exists.
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
