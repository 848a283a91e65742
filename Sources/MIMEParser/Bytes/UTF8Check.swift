/// Checks whether bytes are UTF-8, fast for ASCII.
enum UTF8Check {
    /// The position of the first invalid byte; nil: all is valid. A character cut at the end of the range is invalid.
    static func firstInvalid(_ bytes: [UInt8], in range: Range<Int>) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard range.lowerBound >= 0, range.upperBound <= buffer.count else { return nil }
            let part = UnsafeBufferPointer(rebasing: buffer[range])
            guard !isASCII(part), let bad = firstInvalid(part) else { return nil }
            return range.lowerBound + bad
        }
    }

    static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        return seen < 0x80
    }

    /// Checks byte by byte. RFC 3629 §4.
    private static func firstInvalid(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            if lead < 0x80 {
                index += 1
                continue
            }
            let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
            guard length > 0, index + length <= bytes.count, isSecond(bytes[index + 1], after: lead) else {
                return index
            }
            for next in (index + 2)..<max(index + 2, index + length) where bytes[next] & 0xC0 != 0x80 {
                return index
            }
            index += length
        }
        return nil
    }

    /// Excludes overlong forms, surrogates, and values above U+10FFFF.
    private static func isSecond(_ byte: UInt8, after lead: UInt8) -> Bool {
        switch lead {
        case 0xE0: byte >= 0xA0 && byte < 0xC0
        case 0xED: byte >= 0x80 && byte < 0xA0
        case 0xF0: byte >= 0x90 && byte < 0xC0
        case 0xF4: byte >= 0x80 && byte < 0x90
        case _: byte & 0xC0 == 0x80
        }
    }
}
