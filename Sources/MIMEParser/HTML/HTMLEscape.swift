/// Writes text into HTML so that every parser reads it as text.
enum HTMLEscape {
    /// Omits control characters. In attributes, writes every character that could end a value as a number.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8], isAttribute: Bool) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "&"): output += "&amp;".utf8
            case ASCII.less: output += "&lt;".utf8
            case ASCII.greater: output += "&gt;".utf8
            case ASCII.quote where isAttribute: output += "&#34;".utf8
            case 0x27 where isAttribute: output += "&#39;".utf8
            case 0x60 where isAttribute: output += "&#96;".utf8
            case ASCII.tab, ASCII.lf, ASCII.cr, 0x0C: output.append(isAttribute ? ASCII.space : byte)
            case 0x00..<0x20, ASCII.delete: break
            case 0xC2, 0xE2, 0xEF:
                index += appendScalar(text, at: index, to: &output)
                continue
            case _: output.append(byte)
            }
            index += 1
        }
    }

    /// Writes non-breaking spaces by name. Omits C1 controls, bidirectional overrides and noncharacters.
    private static func appendScalar(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int, to output: inout [UInt8]
    ) -> Int {
        let count = min(text[index] == 0xC2 ? 2 : 3, text.count - index)
        let scalar = UnsafeBufferPointer(rebasing: text[index..<(index + count)])
        let third = count > 2 ? scalar[2] : 0
        switch (scalar[0], count > 1 ? scalar[1] : 0, third) {
        case (0xC2, 0xA0, _): output += "&nbsp;".utf8
        case (0xC2, 0x80...0x9F, _), (0xE2, 0x80, 0xAA...0xAE), (0xE2, 0x81, 0xA6...0xA9),
            (0xEF, 0xB7, 0x90...0xAF), (0xEF, 0xBF, 0xBE...0xBF):
            break
        case _: output += scalar
        }
        return count
    }
}
