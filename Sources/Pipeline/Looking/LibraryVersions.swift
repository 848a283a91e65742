import Crypto
import TodoCalendar

/// Versions of the system libraries that the program is using.
enum LibraryVersions {
    static var current: [String] { [LibcryptoVersion.text, LibicalVersion.text] }
}
