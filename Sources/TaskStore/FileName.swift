import Crypto
import Models

/// The name of a new task's file: its UID where that is a safe name, else a name derived from it.
///
/// A UID is a stranger's data (`../../etc/passwd` is one), so only the characters that vdir programs agree on
/// pass. The name of a file that exists is kept, whatever it is.
enum FileName {
    static let maximumStem = 120

    static func preferred(_ id: TodoID) -> String {
        isSafe(id.rawValue) ? id.rawValue + ".ics" : derived(id)
    }

    static func derived(_ id: TodoID) -> String {
        UUIDv5.make(namespace: UUIDv5.opusNamespace, name: Array(id.rawValue.utf8)) + ".ics"
    }

    static func temporary() -> String { "." + Hex.encode(RandomBytes.make(count: 12)) + ".tmp" }

    /// Only for a file that cannot be read: which task it may be, so that it is not written a second time.
    static func id(ofOwn path: String) -> TodoID? {
        guard let name = path.split(separator: "/").last, name.hasSuffix(".ics") else { return nil }
        return TodoID(String(name.dropLast(4)))
    }

    private static func isSafe(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumStem && text.first != "."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case _: "_.+-".utf8.contains(byte)
                }
            }
    }
}
