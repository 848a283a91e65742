/// The input of both HTML readers: valid UTF-8 of limited size, without control characters and noncharacters.
///
/// gumbo turns these characters into U+FFFD, so they are removed first.
enum HTMLInput {
    static func bytes(of html: String, limit: Int) -> [UInt8] {
        var html = html
        return html.withUTF8 { all in
            var end = min(all.count, max(0, limit))
            while end < all.count, end > 0, all[end] & 0xC0 == 0x80 { end -= 1 }
            return clean(UnsafeBufferPointer(rebasing: all[..<end]))
        }
    }

    /// The bytes of valid UTF-8, without control characters and noncharacters.
    static func clean(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard let first = firstDropped(in: bytes, from: 0) else { return Array(bytes) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var start = 0
        var dropped: (at: Int, count: Int)? = first
        while let next = dropped {
            output += bytes[start..<next.at]
            start = next.at + next.count
            dropped = firstDropped(in: bytes, from: start)
        }
        return output + bytes[start...]
    }

    private static func firstDropped(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> (at: Int, count: Int)? {
        for index in start..<bytes.count {
            switch bytes[index] {
            case 0x00...0x08, 0x0B, 0x0E...0x1F, 0x7F: return (index, 1)
            case 0xC2, 0xEF, 0xF0...0xF4:
                let count = droppedCount(bytes, at: index)
                if count > 0 { return (index, count) }
            case _: break
            }
        }
        return nil
    }

    /// The length of a C1 control or noncharacter at this position; 0: neither.
    private static func droppedCount(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
        switch (bytes[index], byte(1), byte(2), byte(3)) {
        case (0xC2, 0x80...0x9F, _, _): return 2
        case (0xEF, 0xB7, 0x90...0xAF, _), (0xEF, 0xBF, 0xBE...0xBF, _): return 3
        case (0xF0...0xF4, let second, 0xBF, 0xBE...0xBF) where second & 0x0F == 0x0F: return 4
        case _: return 0
        }
    }
}
