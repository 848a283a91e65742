import Crypto
import TodoCalendar

/// Versions of the system libraries that this program runs with.
enum LibraryVersions {
    static var current: [String] { [LibcryptoVersion.text, LibicalVersion.text] }
}
