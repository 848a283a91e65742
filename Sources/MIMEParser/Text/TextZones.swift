/// A range of whole lines of a text, and its kind.
public struct TextZone: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The sender's own text.
        case own
        /// `On … Ann wrote:`, or the header block that Outlook puts above a quote.
        case attribution
        case quote
        /// A forwarded message, with the line before it.
        case forwarded
        /// A signature: from `-- ` on (or a `--` before few lines), `Sent from my …`, or what Mailman adds.
        case signature
    }

    public var kind: Kind
    /// Includes its line ends: all zones joined are the text.
    public var text: Substring

    public init(kind: Kind, text: Substring) {
        self.kind = kind
        self.text = text
    }
}

/// Separates a person's own text from quotes, forwarded messages and signatures.
///
/// A pure function that reads line by line in linear time. In doubt, a line is the sender's own: a rule that reads too
/// much is better than a task that misses its text. So a sentence such as `On Monday she wrote:` is an attribution only
/// before a quote, and a header block needs three of its labels. Answers between quotes stay own text.
public enum TextZones {
    public static func split(_ text: String) -> [TextZone] {
        var finder = ZoneFinder(text)
        finder.find()
        var zones: [TextZone] = []
        var start = 0
        for (index, line) in finder.lines.enumerated() {
            let isLast = index + 1 == finder.lines.count
            guard isLast || finder.kinds[index + 1] != finder.kinds[index] else { continue }
            let low = text.utf8.index(text.startIndex, offsetBy: start)
            let high = text.utf8.index(text.startIndex, offsetBy: line.next)
            zones.append(TextZone(kind: finder.kinds[index], text: text[low..<high]))
            start = line.next
        }
        return zones
    }

    /// The sender's own text, without quotes, forwarded messages and signature, with an empty line between its pieces.
    public static func ownText(of text: String) -> String {
        var output: [UInt8] = []
        for zone in split(text) where zone.kind == .own {
            let lines = Array(zone.text.utf8)[...].trimmedLines
            guard !lines.isEmpty else { continue }
            if !output.isEmpty { output += [ASCII.lf, ASCII.lf] }
            output += lines
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// Without empty lines at the beginning and blanks at the end; the first line keeps its indent.
    fileprivate var trimmedLines: ArraySlice<UInt8> {
        var text = self
        while let last = text.last, last.isBlank { text = text.dropLast() }
        var index = text.startIndex
        while index < text.endIndex, text[index].isBlank {
            if text[index] == ASCII.lf { text = text[(index + 1)...] }
            index += 1
        }
        return text
    }
}
