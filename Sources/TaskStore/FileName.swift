import Crypto
import Models

/// The file name of a new task: its UID if that is safe, otherwise a name derived from it.
///
/// A UID may come from a stranger (such as `../../etc/passwd`), so only characters that all vdir programs accept are
/// allowed. Existing file names never change.
enum FileName {
    static let maximumStem = 120

    static func preferred(_ id: TodoID) -> String {
        isSafe(id.rawValue) ? id.rawValue + ".ics" : derived(id)
    }

    static func derived(_ id: TodoID) -> String {
        UUIDv5.make(namespace: UUIDv5.opusNamespace, name: Array(id.rawValue.utf8)) + ".ics"
    }

    static func temporary() -> String { "." + Hex.encode(RandomBytes.make(count: 12)) + ".tmp" }

    /// The task that an unreadable file may contain, so that opus does not write it again. Not used for readable files.
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
