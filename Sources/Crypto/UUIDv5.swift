/// A UUID derived from a name: the same name in the same namespace always gives the same UUID. RFC 9562 §5.5.
///
/// The standard requires SHA-1. The result identifies something but does not prove who made it.
public enum UUIDv5 {
    /// The namespace of all names from which opus derives UUIDs. It must never change.
    public static let opusNamespace: [UInt8] = [
        0xea, 0xbd, 0x0d, 0x02, 0x6c, 0x19, 0x41, 0x06, 0xa4, 0xe1, 0xe3, 0x09, 0x8e, 0xbe, 0x11, 0x40,
    ]

    /// The UUID in lower case, as `8-4-4-4-12`. The namespace is the 16 bytes of a UUID.
    public static func make(namespace: [UInt8], name: [UInt8]) -> String {
        precondition(namespace.count == 16, "a UUID namespace has 16 bytes")
        let digest = Digest(.sha1)
        digest.update(namespace)
        digest.update(name)
        var bytes = Array(digest.finish().prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
            .map { Hex.encode($0) }
            .joined(separator: "-")
    }
}
