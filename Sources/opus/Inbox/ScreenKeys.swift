/// A key as a terminal sends it.
enum Key: Hashable {
    case text(Character)
    /// `up`, `esc`, `ctrl-l` and the like.
    case named(String)
    /// Pasted text, which does not count as keys.
    case pasted(String)

    /// The name in the table of keys.
    var name: String {
        switch self {
        case .text(" "): "space"
        case .text(let character): String(character)
        case .named(let name): name
        case .pasted: ""
        }
    }
}

/// Makes keys from the bytes of a terminal: UTF-8, control characters, and escape sequences in both forms.
///
/// It drops unknown sequences whole, so that no part of one acts as a key.
struct ScreenKeys {
    private var bytes: [UInt8] = []
    private var pasted: [UInt8]?

    /// The most bytes kept of pasted text.
    private static let longestPaste = 4_096
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

    /// How long a lone escape byte waits for the rest of a sequence before it is the key Esc, in milliseconds.
    private static let escapePatience: Int32 = 40
    /// How long the rest of a sequence or of a character may take, in milliseconds.
    private static let restPatience: Int32 = 1_000

    /// How long to wait for the next byte before ``pause()``, in milliseconds; nil: nothing is incomplete.
    ///
    /// Over a slow link, the bytes of one key may come apart. The rest of one that is clearly incomplete is
    /// never a key of its own.
    var patience: Int32? {
        guard pasted == nil, !bytes.isEmpty else { return nil }
        return bytes == [0x1B] ? Self.escapePatience : Self.restPatience
    }

    mutating func read(_ new: some Sequence<UInt8>) -> [Key] {
        bytes += new
        var keys: [Key] = []
        while let key = next() { keys += key }
        return keys
    }

    /// No byte followed within ``patience``: a lone escape byte is the key Esc.
    mutating func pause() -> [Key] {
        guard pasted == nil, !bytes.isEmpty else { return [] }
        let isEscape = bytes == [0x1B]
        bytes = []
        return isEscape ? [.named("esc")] : []
    }

    /// The keys that the bytes begin with, often one; nil: more bytes are needed.
    private mutating func next() -> [Key]? {
        if pasted != nil { return endOfPaste() }
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x1B: return escape()
        case 0x00...0x1F, 0x7F:
            bytes.removeFirst()
            return [.named(Self.control(first))]
        case _:
            let length = first < 0x80 ? 1 : first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard bytes.count >= length else { return nil }
            let text = String(validating: bytes.prefix(length), as: UTF8.self)
            bytes.removeFirst(text == nil ? 1 : length)
            return text?.first.map { [.text($0)] } ?? []
        }
    }

    private static func control(_ byte: UInt8) -> String {
        switch byte {
        case 0x0D, 0x0A: "enter"
        case 0x09: "tab"
        case 0x7F, 0x08: "backspace"
        case _: "ctrl-" + String(UnicodeScalar(byte + 0x60)).lowercased()
        }
    }

    private mutating func escape() -> [Key]? {
        guard bytes.count > 1 else { return nil }
        switch bytes[1] {
        case UInt8(ascii: "["):
            // CSI: parameters, then one final byte.
            guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
                // A sequence ends sooner.
                if bytes.count > 32 { bytes = [] }
                return nil
            }
            let body = String(decoding: bytes[2...end], as: UTF8.self)
            bytes.removeFirst(end + 1)
            if body == "200~" { pasted = [] }
            return Self.sequences[body].map { [.named($0)] } ?? []
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return nil }
            let body = String(decoding: [bytes[2]], as: UTF8.self)
            bytes.removeFirst(3)
            return Self.sequences[body].map { [.named($0)] } ?? []
        case 0x1B:
            bytes.removeFirst()
            return [.named("esc")]
        case _:
            // Alt and a key: neither of them.
            bytes.removeFirst(2)
            return []
        }
    }

    private mutating func endOfPaste() -> [Key]? {
        guard let end = bytes.firstRange(of: Self.pasteEnd) else {
            // The end may have come in part.
            let sure = max(0, bytes.count - Self.pasteEnd.count)
            keepPasted(bytes.prefix(sure))
            bytes.removeFirst(sure)
            return nil
        }
        keepPasted(bytes[..<end.lowerBound])
        bytes.removeFirst(end.upperBound)
        let text = String(decoding: pasted ?? [], as: UTF8.self)
        pasted = nil
        return [.pasted(text)]
    }

    private mutating func keepPasted(_ more: some Collection<UInt8>) {
        pasted = (pasted ?? []) + more.prefix(Self.longestPaste - (pasted?.count ?? 0))
    }

    private static let sequences = [
        "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end", "1~": "home", "4~": "end",
        "7~": "home", "8~": "end", "5~": "page-up", "6~": "page-down", "3~": "delete",
    ]
}
