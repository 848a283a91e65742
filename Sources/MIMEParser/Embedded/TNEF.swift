/// The files in a `winmail.dat`, Outlook's format of a message. MS-OXTNEF.
///
/// The stream has a signature, a key, then attributes: level, id, length, data, and a checksum of the data.
/// `attAttachRendData` begins a file; its title and data are attributes, and better ones are MAPI properties in
/// `attAttachment`. A length beyond the end of the stream ends it; everything before counts.
struct TNEF {
    private(set) var files: [HeldFile] = []
    /// The text of the message, used if the mail has no other text.
    private(set) var text = ""
    private(set) var html: [UInt8] = []
    /// The charset of everything that is not UTF-16.
    private var label: String?
    private var file: File?

    /// A file with incomplete attributes.
    private struct File {
        var title = ""
        var data: [UInt8] = []
        var properties = TNEFProperties()
        var damage: Set<HeldFile.Damage> = []
    }

    private enum Attribute {
        static let body = 0x800C
        static let attachData = 0x800F
        static let attachTitle = 0x8010
        static let attachRenderData = 0x9002
        static let messageProperties = 0x9003
        static let attachment = 0x9005
        static let codePage = 0x9007
    }

    private static let signature = 0x223E_9F78

    init(_ bytes: [UInt8]) {
        var reader = LittleEndianReader(bytes[...])
        guard reader.integer(4) == Self.signature, reader.integer(2) != nil else { return }
        while files.count < HeldFile.limit, reader.integer(1) != nil, let id = reader.integer(4),
            let length = reader.integer(4)
        {
            let isWhole = length <= reader.rest.count
            let data = reader.take(min(length, reader.rest.count)) ?? []
            let checksum = reader.integer(2)
            read(id & 0xFFFF, data)
            guard isWhole, let checksum else {
                file?.damage.insert(.missingEnd)
                break
            }
            if checksum != data.reduce(0, { ($0 + Int($1)) & 0xFFFF }) { file?.damage.insert(.wrongChecksum) }
        }
        closeFile()
    }

    private mutating func read(_ attribute: Int, _ data: ArraySlice<UInt8>) {
        switch attribute {
        case Attribute.codePage:
            var reader = LittleEndianReader(data)
            label = reader.integer(4).flatMap(Self.label)
        case Attribute.attachRenderData:
            closeFile()
            file = File()
        case Attribute.attachTitle:
            let title = HeldFile.name(data.prefix { $0 != 0 }, label: label)
            open { $0.title = title }
        case Attribute.attachData: open { $0.data = Array(data) }
        case Attribute.attachment:
            let properties = TNEFProperties(data, label: label)
            open { $0.properties = properties }
        case Attribute.body where text.isEmpty:
            text = Charset.decode(Array(data.prefix { $0 != 0 }), label: label)
        case Attribute.messageProperties:
            let properties = TNEFProperties(data, label: label)
            if !properties.body.isEmpty { text = properties.body }
            html = properties.html
        case _: break
        }
    }

    private mutating func open(_ change: (inout File) -> Void) {
        var current = file ?? File()
        change(&current)
        file = current
    }

    private mutating func closeFile() {
        guard let file, files.count < HeldFile.limit else { return }
        self.file = nil
        let properties = file.properties
        let names = [properties.longName, file.title, properties.shortName, properties.displayName]
        files.append(
            HeldFile(
                name: names.first { !$0.isEmpty } ?? "",
                contentType: properties.contentType ?? "application/octet-stream",
                bytes: properties.data.isEmpty ? file.data : properties.data, source: .tnef,
                contentID: properties.contentID, damage: file.damage))
    }

    /// The charset of a Windows code page.
    private static func label(_ page: Int) -> String? {
        switch page {
        case 874, 1250...1258: "windows-\(page)"
        case 932: "shift_jis"
        case 936: "gbk"
        case 949: "euc-kr"
        case 950: "big5"
        case 20866: "koi8-r"
        case 21866: "koi8-u"
        case 28591...28599: "iso-8859-\(page - 28590)"
        case 65001: "utf-8"
        case _: nil
        }
    }
}

/// Reads little-endian numbers and stretches of bytes; nil at the end, never beyond.
struct LittleEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// A number of one to four bytes.
    mutating func integer(_ size: Int) -> Int? {
        guard let bytes = take(size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    /// Values are filled up to four bytes.
    mutating func readPadded(_ count: Int) -> ArraySlice<UInt8>? {
        guard let taken = take(count) else { return nil }
        _ = take(min((4 - count % 4) % 4, rest.count))
        return taken
    }
}
