import IMAPProtocol

/// BODYSTRUCTURE and BODY: the parts as they are written, with the numbers that they can be fetched by.
extension Writer {
    mutating func structure(_ fetch: inout FetchResponse) {
        let isWhole = source.below(4) > 0
        keyword(isWhole ? "BODYSTRUCTURE" : "BODY")
        write(" ")
        var parts: [BodyPart] = []
        part(&parts, parent: nil, depth: 0, isWhole)
        fetch.bodyStructure = BodyStructure(parts: parts)
    }

    private mutating func part(_ parts: inout [BodyPart], parent: Int?, depth: Int, _ isWhole: Bool) {
        let kind = depth > 4 || parts.count > 20 ? 0 : source.below(5)
        let index = parts.count
        if let parent { parts[parent].children.append(index) }
        var part = BodyPart(section: "", parent: parent, type: "", subtype: source.word())
        switch kind {
        case 3: part.type = "multipart"
        case 4: (part.type, part.subtype) = ("message", source.maybe() ? "rfc822" : "global")
        case _: part.type = kind == 0 ? "text" : source.word()
        }
        part.section = Self.section(of: part, parts)
        parts.append(part)
        write("(")
        if kind == 3 {
            for _ in 0...source.below(3) { self.part(&parts, parent: index, depth: depth + 1, isWhole) }
            write(" ")
            string(part.subtype)
            if isWhole { parts[index].parameters = spacedParameters() }
        } else {
            single(&parts, at: index, depth: depth, isWhole)
        }
        if isWhole, source.below(4) > 0 { extensions(&parts[index]) }
        write(")")
    }

    /// RFC 9051 §6.4.5.1: children are counted, and a multipart that is a message shares the message's number.
    private static func section(of part: BodyPart, _ parts: [BodyPart]) -> String {
        let isMultipart = part.type == "multipart"
        guard let parent = part.parent else { return isMultipart ? "" : "1" }
        let above = parts[parent].section
        if parts[parent].type != "multipart", isMultipart { return above }
        let number = parts[parent].type == "multipart" ? parts[parent].children.count : 1
        return above.isEmpty ? "\(number)" : "\(above).\(number)"
    }

    private mutating func single(_ parts: inout [BodyPart], at index: Int, depth: Int, _ isWhole: Bool) {
        string(parts[index].type)
        write(" ")
        string(parts[index].subtype)
        parts[index].parameters = spacedParameters()
        write(" ")
        parts[index].contentID = spaced(source.optional())
        parts[index].description = spaced(source.optional())
        parts[index].encoding = source.word()
        string(parts[index].encoding)
        parts[index].size = count()
        if parts[index].type == "message" {
            write(" ")
            parts[index].envelope = envelope()
            write(" ")
            part(&parts, parent: index, depth: depth + 1, isWhole)
        }
        if parts[index].type == "message" || parts[index].type == "text" { parts[index].lines = count() }
        guard isWhole else { return }
        write(" ")
        let sum = source.optional()
        nstring(sum)
        parts[index].md5 = sum
    }

    /// Some servers write -1 as the greatest number of 32 bits, which therefore is none.
    private mutating func count() -> UInt64 {
        let number = min(source.number64(), 1 << 62)
        let meant = number == UInt64(UInt32.max) ? 0 : number
        write(" \(meant)")
        return meant
    }

    private mutating func spaced(_ value: [UInt8]?) -> [UInt8]? {
        nstring(value)
        write(" ")
        return value
    }

    private mutating func spacedParameters() -> [BodyParameter] {
        write(" ")
        return parameters()
    }

    private mutating func parameters() -> [BodyParameter] {
        let parameters = source.list(2) { BodyParameter(name: $0.word(), value: $0.octets()) }
        nlist(parameters) { writer, parameter in
            writer.string(parameter.name)
            writer.write(" ")
            writer.string(parameter.value)
        }
        return parameters
    }

    /// Disposition, languages, location, and what later standards may add.
    private mutating func extensions(_ part: inout BodyPart) {
        write(" ")
        if source.maybe() {
            write("(")
            let type = source.word()
            string(type)
            part.disposition = BodyDisposition(type: type, parameters: spacedParameters())
            write(")")
        } else {
            keyword("NIL")
        }
        write(" ")
        part.languages = source.list(2) { $0.word() }
        if let only = part.languages.first, part.languages.count == 1, source.maybe() {
            string(only)
        } else {
            nlist(part.languages) { $0.string($1) }
        }
        write(" ")
        part.location = source.optional()
        nstring(part.location)
        if source.maybe() { write(" (1 \"later\" (NIL))") }
    }
}
