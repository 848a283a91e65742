/// The number of a part in IMAP: `1`, `2.1`, and `3.1` for a part of an attached message. RFC 3501 §6.4.5.
public struct SectionPath: Hashable, Sendable, CustomStringConvertible {
    public let numbers: [Int]

    public init(_ numbers: [Int]) { self.numbers = numbers }

    /// Reads `1.2.3`; an empty text is the message itself.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            numbers = []
            return
        }
        var numbers: [Int] = []
        for piece in text.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false) {
            guard piece.count <= 6, piece.allSatisfy(\.isDigit), let number = Int(Substring(piece)),
                number > 0,
                numbers.count < 64
            else { return nil }
            numbers.append(number)
        }
        self.numbers = numbers
    }

    func appending(_ number: Int) -> SectionPath { SectionPath(numbers + [number]) }

    public var description: String { numbers.map(String.init).joined(separator: ".") }
}

/// One part of a message: the places of its header and its body, and what they say about each other.
///
/// Parts are a flat array in the order of the message; a part knows its parent and children by index.
/// Nothing is decoded here.
public struct Part: Sendable {
    public let index: Int
    public let parent: Int?
    public internal(set) var children: [Int] = []
    /// The multipart that is all of an attached message shares the number of the message/rfc822 part.
    public internal(set) var section: SectionPath
    /// 1 for the message itself.
    public let depth: Int
    /// With the empty line that ends it.
    public internal(set) var headerRange: Range<Int>
    /// Without the line break before the boundary that ends it.
    public internal(set) var bodyRange: Range<Int>
    public internal(set) var contentType: ContentType = .plainText
    public internal(set) var transferEncoding: TransferEncoding = .identity
    /// Whether the end of the part was seen: a boundary, or the end of a message that has none.
    public internal(set) var isComplete = false

    /// Field bodies that are decoded when a caller needs them.
    var encodingField: Range<Int>?
    var dispositionField: Range<Int>?
    var contentIDField: Range<Int>?
    /// Whether the part was opened: a multipart with a boundary, a message that is not encoded.
    var isContainer = false

    /// Header and body.
    public var range: Range<Int> { headerRange.lowerBound..<bodyRange.upperBound }
}
