/// Scripts that write no space between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
///
/// A word may begin at, and after, each of their letters. The search index, the conditions and the marks in found texts must
/// agree about it, so they all ask here.
public enum UnspacedScripts {
    public static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        case _: false
        }
    }
}
