/// A message or a part of one, as far as BODYSTRUCTURE and sections need it. RFC 3501 §6.4.5, §7.4.2.
///
/// Its own reading of MIME: simple, and right for the messages that tests write.
struct MessagePart {
    let header: ArraySlice<UInt8>
    let body: ArraySlice<UInt8>
    private let fields: [(name: String, value: String)]

    init(_ bytes: ArraySlice<UInt8>) {
        let end = Self.headerEnd(bytes)
        header = bytes[bytes.startIndex..<end]
        body = bytes[end...]
        fields = Self.fields(header)
    }

    // MARK: Header

    private static func headerEnd(_ bytes: ArraySlice<UInt8>) -> Int {
        if bytes.starts(with: [0x0D, 0x0A]) { return bytes.startIndex + 2 }
        var index = bytes.startIndex
        while index + 3 < bytes.endIndex {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D,
                bytes[index + 3] == 0x0A
            {
                return index + 4
            }
            index += 1
        }
        return bytes.endIndex
    }

    /// Unfolded, in their order.
    private static func fields(_ header: ArraySlice<UInt8>) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in String(decoding: header, as: UTF8.self).split(separator: "\r\n") {
            if let first = line.first, first == " " || first == "\t", !fields.isEmpty {
                fields[fields.count - 1].value += " " + line.drop { $0 == " " || $0 == "\t" }
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                fields.append((String(line[..<colon]), String(value)))
            }
        }
        return fields
    }

    func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    private var contentType: String { values(of: "Content-Type").first ?? "text/plain" }

    private var type: (String, String) {
        let words = contentType.prefix { $0 != ";" }.filter { $0 != " " }.uppercased().split(separator: "/")
        return words.count == 2 ? (String(words[0]), String(words[1])) : ("TEXT", "PLAIN")
    }

    private func parameter(_ name: String) -> String? {
        for piece in contentType.split(separator: ";").dropFirst() {
            guard let equals = piece.firstIndex(of: "=") else { continue }
            let key = piece[..<equals].filter { $0 != " " }.lowercased()
            if key == name { return piece[piece.index(after: equals)...].filter { $0 != "\"" } }
        }
        return nil
    }

    // MARK: Parts

    var isMultipart: Bool { type.0 == "MULTIPART" && parameter("boundary") != nil }
    var isMessage: Bool { type == ("MESSAGE", "RFC822") }

    var parts: [MessagePart] {
        guard isMultipart, let boundary = parameter("boundary") else { return [] }
        let mark = Array("--\(boundary)".utf8)
        var parts: [MessagePart] = []
        var begin: Int?
        var index = body.startIndex
        while index < body.endIndex {
            let lineEnd = Self.lineEnd(body, from: index)
            if body[index..<lineEnd].starts(with: mark) {
                if let begin { parts.append(MessagePart(body[begin..<max(begin, index - 2)])) }
                begin = lineEnd
                if body[index..<lineEnd].dropFirst(mark.count).starts(with: "--".utf8) { return parts }
            }
            index = lineEnd
        }
        return parts
    }

    /// After the line's end.
    private static func lineEnd(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == 0x0A { return index + 1 }
            index += 1
        }
        return bytes.endIndex
    }

    /// `1.2`, `HEADER`, `1.MIME`; nil when there is no such part.
    func section(_ name: String) -> ArraySlice<UInt8>? {
        if name.isEmpty { return header.base(with: body) }
        if name == "HEADER" { return header }
        if name == "TEXT" { return body }
        if name.hasPrefix("HEADER.FIELDS") { return headerFields(name) }
        let head = name.prefix { $0 != "." }
        let rest = String(name.dropFirst(head.count + 1))
        guard let number = Int(head), number > 0 else { return nil }
        let here = isMessage ? MessagePart(body) : self
        let parts = here.isMultipart ? here.parts : [here]
        guard number <= parts.count else { return nil }
        let part = parts[number - 1]
        let isSingle = !here.isMultipart
        if rest.isEmpty { return part.body }
        if rest == "MIME" { return part.header }
        if part.isMessage, rest.first?.isNumber != true { return MessagePart(part.body).section(rest) }
        return isSingle && !part.isMessage ? nil : part.section(rest)
    }

    private func headerFields(_ name: String) -> ArraySlice<UInt8> {
        let words = name.split { " ()".contains($0) }.map { $0.lowercased() }
        let isNot = name.hasPrefix("HEADER.FIELDS.NOT")
        let chosen = fields.filter { words.dropFirst().contains($0.name.lowercased()) != isNot }
        return Array((chosen.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)[...]
    }
}

// MARK: - BODYSTRUCTURE

extension MessagePart {
    func structure() -> [UInt8] {
        guard isMultipart else { return leaf() }
        let inner = parts.flatMap { $0.structure() }
        let boundary = Wire.string(parameter("boundary") ?? "")
        return Array("(".utf8) + inner + Array(" \"\(type.1)\" (\"BOUNDARY\" ".utf8) + boundary
            + Array(") NIL NIL NIL)".utf8)
    }

    private func leaf() -> [UInt8] {
        let encoding = values(of: "Content-Transfer-Encoding").first?.uppercased() ?? "7BIT"
        let parameters = ["charset", "name"].compactMap { name in
            parameter(name).map { Array("\"\(name.uppercased())\" ".utf8) + Wire.string($0) }
        }
        let list =
            parameters.isEmpty
            ? Array("NIL".utf8)
            : Array("(".utf8) + Array(parameters.joined(separator: " ".utf8)) + Array(")".utf8)
        let lines = body.count { $0 == 0x0A }
        var bytes =
            Array("(\"\(type.0)\" \"\(type.1)\" ".utf8) + list
            + Array(" NIL NIL \"\(encoding)\" \(body.count)".utf8)
        if type.0 == "TEXT" { bytes += Array(" \(lines)".utf8) }
        if isMessage {
            bytes +=
                Array(" (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) ".utf8) + MessagePart(body).structure()
                + Array(" \(lines)".utf8)
        }
        return bytes + Array(" NIL \(disposition) NIL NIL)".utf8)
    }

    private var disposition: String {
        guard let value = values(of: "Content-Disposition").first else { return "NIL" }
        let kind = value.prefix { $0 != ";" && $0 != " " }.uppercased()
        guard let at = value.range(ofText: "filename=") else { return "(\"\(kind)\" NIL)" }
        let name = value[at...].filter { $0 != "\"" }
        return "(\"\(kind)\" (\"FILENAME\" \(String(decoding: Wire.string(String(name)), as: UTF8.self))))"
    }
}

extension String {
    /// The index after the first occurrence.
    fileprivate func range(ofText text: String) -> String.Index? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return self.index(index, offsetBy: text.count) }
            index = self.index(after: index)
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Header and body, which stand side by side.
    fileprivate func base(with body: ArraySlice<UInt8>) -> ArraySlice<UInt8> { self + body }
}
