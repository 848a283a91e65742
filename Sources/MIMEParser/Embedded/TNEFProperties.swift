/// The MAPI properties of a message or a file in a TNEF stream: a count, then tags and values. MS-OXTNEF §2.1.3.4.
///
/// The type of a tag determines the length of its value, so reading ends at an unknown type.
struct TNEFProperties {
    private(set) var longName = ""
    private(set) var shortName = ""
    private(set) var displayName = ""
    private(set) var contentType: String?
    private(set) var contentID: String?
    private(set) var data: [UInt8] = []
    private(set) var body = ""
    private(set) var html: [UInt8] = []

    init() {}

    init(_ bytes: ArraySlice<UInt8>, label: String?) {
        var reader = LittleEndianReader(bytes)
        guard var left = reader.integer(4) else { return }
        while left > 0, let kind = reader.integer(2), let id = reader.integer(2),
            Self.skipName(of: id, in: &reader), let value = Self.value(kind, in: &reader)
        {
            take(id, kind, value, label)
            left -= 1
        }
    }

    private enum ID {
        static let body = 0x1000
        static let bodyHTML = 0x1013
        static let displayName = 0x3001
        static let attachData = 0x3701
        static let attachFileName = 0x3704
        static let attachLongFileName = 0x3707
        static let attachMIMETag = 0x370E
        static let attachContentID = 0x3712
    }

    /// The types of MS-OXCDATA §2.11.1 with a fixed length, or without a value.
    private enum Kind {
        static let object = 0x000D
        static let string8 = 0x001E
        static let unicode = 0x001F
        static let binary = 0x0102
        static let multiple = 0x1000
    }

    private mutating func take(_ id: Int, _ kind: Int, _ value: ArraySlice<UInt8>, _ label: String?) {
        switch id {
        case ID.attachLongFileName: longName = Self.name(kind, value, label)
        case ID.attachFileName: shortName = Self.name(kind, value, label)
        case ID.displayName: displayName = Self.name(kind, value, label)
        case ID.attachMIMETag: contentType = Self.mediaType(Self.name(kind, value, label))
        case ID.attachContentID:
            let id = Self.name(kind, value, label)
            contentID = id.isEmpty ? nil : id
        case ID.attachData where kind == Kind.binary: data = Array(value)
        // An object begins with the id of its interface.
        case ID.attachData where kind == Kind.object: data = Array(value.dropFirst(16))
        case ID.body: body = Self.text(kind, value, label)
        case ID.bodyHTML where kind != Kind.unicode: html = Array(value)
        case _: break
        }
    }

    // MARK: Values

    /// Skips the name of a property that has a name instead of a number.
    private static func skipName(of id: Int, in reader: inout LittleEndianReader) -> Bool {
        guard id >= 0x8000 else { return true }
        guard reader.take(16) != nil, let isString = reader.integer(4), let word = reader.integer(4) else {
            return false
        }
        return isString == 0 || reader.readPadded(word) != nil
    }

    /// The value of a property; the first of several. nil: the end, or an unknown type.
    private static func value(_ kind: Int, in reader: inout LittleEndianReader) -> ArraySlice<UInt8>? {
        let isMultiple = kind & Kind.multiple != 0
        let kind = kind & ~Kind.multiple
        let isVariable = [Kind.object, Kind.string8, Kind.unicode, Kind.binary].contains(kind)
        guard isVariable || isMultiple else { return fixedSize(kind).flatMap { reader.take($0) } }
        guard var left = reader.integer(4) else { return nil }
        var first: ArraySlice<UInt8>?
        while left > 0 {
            guard let size = isVariable ? reader.integer(4) : fixedSize(kind),
                size > 0 || isVariable, let value = reader.readPadded(size)
            else { return nil }
            if first == nil { first = value }
            left -= 1
        }
        return first ?? []
    }

    private static func fixedSize(_ kind: Int) -> Int? {
        switch kind {
        case 0x0000, 0x0001: 0
        case 0x0002, 0x0003, 0x0004, 0x000A, 0x000B: 4
        case 0x0005, 0x0006, 0x0007, 0x0014, 0x0040: 8
        case 0x0048: 16
        case _: nil
        }
    }

    private static func name(_ kind: Int, _ value: ArraySlice<UInt8>, _ label: String?) -> String {
        let text = text(kind, value.prefix(4 * HeldFile.nameLimit), label)
        return TextLines.capped(HeaderText.clean(text), to: HeldFile.nameLimit)
    }

    private static func text(_ kind: Int, _ value: ArraySlice<UInt8>, _ label: String?) -> String {
        switch kind {
        case Kind.unicode:
            let text = Charset.decode(Array(value), label: "utf-16le")
            return String(text.unicodeScalars.prefix { $0 != "\0" })
        case Kind.string8: return Charset.decode(Array(value.prefix { $0 != 0 }), label: label)
        case _: return ""
        }
    }

    /// `image/png`, or nil for a text that is not a media type.
    private static func mediaType(_ text: String) -> String? {
        let pieces = text.utf8.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        guard pieces.count == 2, pieces.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isToken) }),
            text.utf8.count <= 256
        else { return nil }
        return Array(text.utf8)[...].lowercasedText
    }
}
