/// The columns of a character on a terminal: 2 for East Asian wide characters and emoji, 0 for marks.
///
/// A short table of the blocks with East_Asian_Width W and F in Unicode, precise enough to place a caret.
enum DisplayWidth {
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(first.value) ? 2 : 1
        }
    }

    static func of(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + of($1) } }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653,
        0x26A1...0x26A1, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x2705...0x2705, 0x274C...0x274C, 0x2753...0x2755,
        0x2757...0x2757, 0x2795...0x2797, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2E80...0x303E, 0x3041...0x33FF,
        0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
        0x20000...0x3FFFD,
    ]

    private static func isWide(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x1100 else { return false }
        return wide.contains { $0.contains(scalar) }
    }
}
