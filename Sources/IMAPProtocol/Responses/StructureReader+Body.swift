/// Interprets the nodes of a BODYSTRUCTURE or BODY. RFC 3501 §7.4.2 (`body`).
extension StructureReader {
    /// A part to read, and its parent.
    private struct Pending {
        var node: Int
        var parent: Int?
    }

    /// The structure that begins at this node; nil: the node is not a structure.
    mutating func bodyStructure(at root: Int) throws(ParseFailure) -> BodyStructure? {
        guard tree.nodes[root].kind == .list, tree.nodes[root].end > root + 1 else {
            note(.nilStructure)
            return nil
        }
        var parts: [BodyPart] = []
        var pending = [Pending(node: root, parent: nil)]
        while let next = pending.popLast() {
            guard parts.count < limits.parts else {
                let reason = Unparsable.Reason.tooManyItems(actual: parts.count + 1, maximum: limits.parts)
                throw ParseFailure(unparsable: Unparsable(reason: reason, offset: 0))
            }
            let (part, inner) = read(next, after: parts)
            let index = parts.count
            if let parent = next.parent { parts[parent].children.append(index) }
            parts.append(part)
            pending += inner.reversed().map { Pending(node: $0, parent: index) }
        }
        return BodyStructure(parts: parts)
    }

    private mutating func read(_ next: Pending, after parts: [BodyPart]) -> (BodyPart, inner: [Int]) {
        let fields = tree.children(of: next.node)
        let inner = fields.prefix { tree.nodes[$0].kind == .list }
        var part = BodyPart(section: "", parent: next.parent, type: "", subtype: "")
        var content: [Int] = []
        if !inner.isEmpty {
            content = Array(inner)
            multipart(Array(fields.dropFirst(inner.count)), &part)
        } else if isEmptyMultipart(fields) {
            note(.emptyMultipart)
            multipart(kind(fields.first) == .null ? Array(fields.dropFirst()) : fields, &part)
        } else {
            content = single(fields, &part)
        }
        part.section = section(isMultipart: part.type == "multipart", parent: next.parent, parts)
        return (part, content)
    }

    /// A multipart inside a message has no number: it shares that of the message. RFC 3501 §6.4.5.
    private func section(isMultipart: Bool, parent: Int?, _ parts: [BodyPart]) -> String {
        guard let parent else { return isMultipart ? "" : "1" }
        let prefix = parts[parent].section.isEmpty ? "" : parts[parent].section + "."
        if parts[parent].type == "multipart" { return prefix + String(parts[parent].children.count + 1) }
        return isMultipart ? parts[parent].section : prefix + "1"
    }

    // MARK: Multipart

    /// `(NIL "alternative" …)` or `("ALTERNATIVE")`: a multipart in which the server found no part.
    private func isEmptyMultipart(_ fields: [Int]) -> Bool {
        if fields.count == 1 { return kind(fields[0]) == .string }
        guard fields.count > 1 else { return false }
        return kind(fields[0]) == .null && kind(fields[1]) == .string
            && !(fields.count > 6 && isNumber(fields[6]))
    }

    private mutating func multipart(_ fields: [Int], _ part: inout BodyPart) {
        part.type = "multipart"
        part.subtype = word(fields.first)
        if part.subtype.isEmpty { note(.missingMediaType) }
        guard fields.count > 1 else { return }
        part.parameters = parameters(fields[1])
        var rest = fields.dropFirst(2)
        if let first = rest.first, tree.nodes[first].kind == .string, !isDisposition(first) {
            note(.multipartDescription)
            part.description = string(first)
            rest = rest.dropFirst()
        }
        extensions(rest, &part)
    }

    // MARK: One part

    /// Reads the fields of a part that is not a multipart.
    ///
    /// - Returns: The message inside, if any.
    private mutating func single(_ fields: [Int], _ part: inout BodyPart) -> [Int] {
        var rest = fields[...]
        part.type = word(rest.popFirst())
        if kind(rest.first) == .list {
            note(.missingSubtype)
        } else {
            part.subtype = word(rest.popFirst())
        }
        if part.type.isEmpty { note(.missingMediaType) }
        part.parameters = rest.popFirst().map { parameters($0) } ?? []
        part.contentID = string(rest.popFirst())
        part.description = string(rest.popFirst())
        let encoding = word(rest.popFirst())
        part.encoding = encoding.isEmpty ? "7bit" : encoding
        part.size = count(&rest, orElse: .missingSize)
        var inner: [Int] = []
        if part.isMessage {
            inner = message(&rest, &part)
        } else if part.type == "text" {
            part.lines = lines(&rest)
        }
        part.md5 = string(rest.popFirst())
        extensions(rest, &part)
        return inner
    }

    private mutating func message(_ rest: inout ArraySlice<Int>, _ part: inout BodyPart) -> [Int] {
        guard let first = rest.first, tree.nodes[first].kind == .list, rest.count > 1 else {
            note(.messageWithoutEnvelope)
            return []
        }
        part.envelope = envelope(at: first)
        let body = rest[rest.startIndex + 1]
        rest = rest.dropFirst(2)
        part.lines = lines(&rest)
        guard tree.nodes[body].kind == .list, tree.nodes[body].end > body + 1 else {
            note(.nilStructure)
            return []
        }
        return [body]
    }

    private mutating func lines(_ rest: inout ArraySlice<Int>) -> UInt64? {
        // BODY ends after the count, and BODYSTRUCTURE after four fields more.
        if !isNumber(rest.first), kind(rest.first) == .null, rest.count < 5 {
            note(.missingLineCount)
            return nil
        }
        return count(&rest, orElse: .missingLineCount)
    }

    /// A count, if one is here; NIL in its place is stepped over.
    private mutating func count(_ rest: inout ArraySlice<Int>, orElse quirk: Quirk) -> UInt64? {
        if isNumber(rest.first), let node = rest.popFirst() { return number(node) }
        note(quirk)
        if kind(rest.first) == .null { rest = rest.dropFirst() }
        return nil
    }

    // MARK: What both have

    private mutating func extensions(_ fields: ArraySlice<Int>, _ part: inout BodyPart) {
        var rest = fields
        if let node = rest.popFirst() { part.disposition = disposition(node) }
        if let node = rest.popFirst() {
            part.languages =
                kind(node) == .list
                ? tree.children(of: node).map { word($0) } : [word(node)].filter { !$0.isEmpty }
        }
        part.location = string(rest.popFirst())
    }

    private func isDisposition(_ node: Int) -> Bool {
        ["inline", "attachment", "form-data"].contains(word(node))
    }

    private mutating func disposition(_ node: Int) -> BodyDisposition? {
        switch tree.nodes[node].kind {
        case .null:
            return nil
        case .atom, .string:
            note(.dispositionAsString)
            return isDisposition(node) ? BodyDisposition(type: word(node)) : nil
        case .list:
            let fields = tree.children(of: node)
            let type = word(fields.first)
            guard !type.isEmpty else {
                note(.emptyDisposition)
                return nil
            }
            return BodyDisposition(type: type, parameters: fields.count > 1 ? parameters(fields[1]) : [])
        }
    }

    private mutating func parameters(_ node: Int) -> [BodyParameter] {
        guard tree.nodes[node].kind == .list else { return [] }
        var fields = tree.children(of: node)[...]
        if fields.isEmpty { note(.emptyParameterList) }
        var parameters: [BodyParameter] = []
        while let name = fields.popFirst() {
            let value = fields.popFirst()
            if string(value) == nil { note(.parameterWithoutValue) }
            parameters.append(BodyParameter(name: word(name), value: string(value) ?? []))
        }
        return parameters
    }
}
