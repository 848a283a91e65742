/// A number of bytes as people read it: `812 kB`, `57.8 MB`.
enum ByteCount {
    static func words(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(bytes / 1_000) kB"
        case ..<1_000_000_000: "\(tenths(bytes, of: 1_000_000)) MB"
        case _: "\(tenths(bytes, of: 1_000_000_000)) GB"
        }
    }

    private static func tenths(_ bytes: Int64, of unit: Int64) -> String {
        let tenths = bytes / (unit / 10)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
