/// The purpose of an invitation: METHOD of iTIP.
extension ParsedMessage {
    /// The `METHOD` of the first text/calendar part, in upper case: `REQUEST`. RFC 6047 §2.4.
    ///
    /// It is the parameter of the type, otherwise the property in the calendar: many senders omit the parameter.
    public var calendarMethod: String? {
        for part in parts where isCalendar(part) && !isInsideMessage(part) {
            let parameter = part.contentType.parameters["method"].map { Array($0.utf8)[...] }
            if let method = parameter.flatMap(Self.methodName) ?? methodProperty(of: part) { return method }
        }
        return EnclosedMessage(in: self)?.content.calendarMethod
    }

    /// The first calendar part in UTF-8; nil: there is none, or it is larger than `limit`.
    public func calendar(limit: Int) -> [UInt8]? {
        guard let part = parts.first(where: { isCalendar($0) && !isInsideMessage($0) }) else {
            return EnclosedMessage(in: self)?.content.calendar(limit: limit)
        }
        guard decodedSize(of: part) <= limit else { return nil }
        let bytes = decodedBody(of: part, limit: limit)
        return bytes.isEmpty ? nil : CalendarText.inUTF8(bytes, label: part.contentType.charset)
    }

    private func isCalendar(_ part: Part) -> Bool {
        let type = part.contentType
        return type.isCalendar
            || type.isOctetStream && fileName(of: part).lowercased().hasSuffix(".ics")
    }

    /// The property near the start, before any event. RFC 5545 §3.6.
    private func methodProperty(of part: Part) -> String? {
        let body = decodedStart(of: part, limit: 16 * 1_024)
        var position = 0
        while let line = ByteLine(in: body[...], at: position) {
            let content = body[line.content]
            if content.prefix(7).isWord("method:") { return Self.methodName(content.dropFirst(7)) }
            position = line.next
        }
        return nil
    }

    private static func methodName(_ bytes: ArraySlice<UInt8>) -> String? {
        let word = bytes.trimmed
        guard (1...32).contains(word.count),
            word.allSatisfy({ $0.isLetter || $0.isDigit || $0 == ASCII.hyphen })
        else { return nil }
        return word.text.uppercased()
    }
}

extension ContentType {
    fileprivate var isCalendar: Bool {
        (type == "text" && subtype == "calendar") || (type == "application" && subtype == "ics")
    }

    fileprivate var isOctetStream: Bool { type == "application" && subtype == "octet-stream" }
}

/// Calendars are UTF-8 (RFC 5545 §3.1.4), but some programs write the charset of the mail, and label it so.
private enum CalendarText {
    /// A fold may split a character, so it is removed before the check.
    static func inUTF8(_ bytes: [UInt8], label: String?) -> [UInt8] {
        var unfolded: [UInt8] = []
        unfolded.reserveCapacity(bytes.count)
        var hasEscape = false
        for byte in bytes {
            if byte.isBlank, byte != ASCII.cr, byte != ASCII.lf, unfolded.last == ASCII.lf {
                unfolded.removeLast()
                if unfolded.last == ASCII.cr { unfolded.removeLast() }
                continue
            }
            hasEscape = hasEscape || byte == 0 || byte == ASCII.escape
            unfolded.append(byte)
        }
        if !hasEscape, UTF8Check.firstInvalid(unfolded, in: unfolded.indices) == nil { return bytes }
        return Array(Charset.decode(bytes, label: label).utf8)
    }
}
