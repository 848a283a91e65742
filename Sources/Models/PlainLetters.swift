/// Removes the accents of Latin letters, so that `cafe` finds "café", and replaces typographic apostrophes and hyphens by those
/// of the keyboard, so that `don't` finds "don’t". The text must be composed and in lower case (``ComposedLetters``).
///
/// The trap: the search index folds letters with `unicode61 remove_diacritics 2`. A letter or mark may only be here if SQLite
/// folds it in the same way, or a search would miss messages that a rule matches. `PlainLettersTests` compares them.
public enum PlainLetters {
    /// The text without accents, in UTF-8; nil: there is nothing to change.
    public static func of(_ text: [UInt8]) -> [UInt8]? {
        guard let first = text.firstIndex(where: { mayBegin($0) }) else { return nil }
        return text.withUnsafeBufferPointer { plain($0, from: first) }
    }

    public static func of(_ text: String) -> String {
        of(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Whether an accented letter, a mark or typographic punctuation can begin with this byte.
    private static func mayBegin(_ byte: UInt8) -> Bool {
        (0xC3...0xC9).contains(byte) || byte == 0xCC || byte == 0xE1 || byte == 0xE2
    }

    private static func plain(_ text: UnsafeBufferPointer<UInt8>, from first: Int) -> [UInt8]? {
        var isChanged = false
        let plain = [UInt8](unsafeUninitializedCapacity: text.count) { result, count in
            var index = 0
            func keep(_ byte: UInt8) {
                result[count] = byte
                count += 1
            }
            while index < text.count {
                let byte = text[index]
                guard index >= first, mayBegin(byte) else {
                    keep(byte)
                    index += 1
                    continue
                }
                let length = byte >= 0xE1 ? 3 : 2
                let letter = index + length <= text.count ? letter(text, index, length) : nil
                if let letter {
                    keep(letter)
                    isChanged = true
                    index += length
                } else if length == 2, index + 1 < text.count, isMark(byte, text[index + 1]), count > 0,
                    result[count - 1] < 0x80
                {
                    isChanged = true
                    index += length
                } else {
                    keep(byte)
                    index += 1
                }
            }
        }
        return isChanged ? plain : nil
    }

    private static func letter(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ length: Int) -> UInt8? {
        let last = Int(text[index + length - 1] & 0x3F)
        let letter: UInt8
        if length == 2 {
            let value = Int(text[index] & 0x1F) << 6 | last
            guard (0xC0..<0x250).contains(value) else { return nil }
            letter = latin[value - 0xC0]
        } else if text[index] == 0xE2 {
            return text[index + 1] == 0x80 ? punctuation(text[index + 2]) : nil
        } else {
            let value = Int(text[index] & 0x0F) << 12 | Int(text[index + 1] & 0x3F) << 6 | last
            guard (0x1E00..<0x1F00).contains(value) else { return nil }
            letter = additional[value - 0x1E00]
        }
        return letter == UInt8(ascii: ".") ? nil : letter
    }

    /// `'` for U+2018 and U+2019, and `-` for the hyphens U+2010 and U+2011, by the last byte in UTF-8.
    private static func punctuation(_ last: UInt8) -> UInt8? {
        switch last {
        case 0x98, 0x99: UInt8(ascii: "'")
        case 0x90, 0x91: UInt8(ascii: "-")
        case _: nil
        }
    }

    /// A combining mark that is left after composing, such as the dot of `i̇`.
    private static func isMark(_ first: UInt8, _ second: UInt8) -> Bool {
        guard first == 0xCC else { return false }
        return switch second {
        case 0x80...0x84, 0x86...0x8C, 0x8F, 0x91, 0x9B, 0xA3...0xA8, 0xAD, 0xAE, 0xB0, 0xB1: true
        case _: false
        }
    }

    /// The letters without accents from U+00C0 on; a point: the letter has no accent.
    private static let latin: [UInt8] = Array(
        ("aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y"
            + "aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiiii...jjkk.llllll."
            + "...nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzz."
            + "................................oo.............uu..............."
            + ".............aaiioouuuuuuuuuu.aa......ggkkoooo..j...gg..nnaa...."
            + "aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............"
            + "................").utf8)

    /// The same from U+1E00 on.
    private static let additional: [UInt8] = Array(
        ("aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
            + "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
            + "wwwwwwwwwwxxxxyyzzzzzzhtwy......aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
            + "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......").utf8)
}
