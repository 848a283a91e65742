// What must hold for a parsed message, whatever its bytes were.

public import MIMEParser
public import Models

/// Holds a message against every promise of the parser.
public func check(_ message: ParsedMessage, limits: MIMELimits) {
    checkTree(message, limits: limits)
    checkSections(message)
    for part in message.parts { checkContent(part, of: message) }
    checkHeld(message, limits: limits)
    checkText(message, limits: limits)
    checkHeader(message)
    for defect in message.defects {
        promise(defect.offset >= 0 && defect.offset <= message.bytes.count, "\(defect) is inside the message")
    }
}

/// Ranges nest, siblings follow each other, indices are consistent.
private func checkTree(_ message: ParsedMessage, limits: MIMELimits) {
    promise(!message.parts.isEmpty, "a message has a part")
    promise(message.parts.count <= max(1, limits.parts), "parts are at most \(limits.parts)")
    promise(message.root.parent == nil, "the first part is the root")
    promise(message.root.range.upperBound <= message.bytes.count, "the root is inside the message")
    for (index, part) in message.parts.enumerated() {
        promise(part.index == index, "part \(index) knows its index")
        promise(part.headerRange.upperBound == part.bodyRange.lowerBound, "body \(index) follows its header")
        promise(part.depth <= max(1, limits.depth), "depth is at most \(limits.depth)")
        var end = part.bodyRange.lowerBound
        for child in part.children {
            promise(child > index && child < message.parts.count, "children of \(index) come after it")
            let inner = message.parts[child]
            promise(inner.parent == index, "part \(child) knows its parent")
            promise(inner.range.lowerBound >= end, "part \(child) begins after its sibling")
            end = inner.range.upperBound
        }
        promise(end <= part.bodyRange.upperBound, "children of \(index) end inside it")
        guard let parent = part.parent else {
            promise(index == 0, "only the root has no parent")
            continue
        }
        promise(parent >= 0 && parent < index, "the parent of \(index) comes before it")
        promise(message.parts[parent].children.contains(index), "parent of \(index) knows it")
    }
}

/// A section is one part; only the multipart inside an attached message shares the number of that.
private func checkSections(_ message: ParsedMessage) {
    var owners: [SectionPath: Int] = [:]
    for part in message.parts {
        if let first = owners[part.section] {
            let outer = message.parts[first]
            promise(
                part.parent == first && outer.contentType.type == "message"
                    && part.contentType.type == "multipart",
                "section \(part.section) is one part")
        } else {
            owners[part.section] = part.index
        }
        promise(
            SectionPath(part.section.description) == part.section,
            "section \(part.section) is written as read")
    }
}

private func checkContent(_ part: Part, of message: ParsedMessage) {
    let body = message.decodedBody(of: part)
    promise(message.decodedSize(of: part) == body.count, "the size of \(part.section) is that of its content")
    let limit = 7
    let head = message.decodedBody(of: part, limit: limit)
    promise(head.elementsEqual(body.prefix(limit)), "a limited body of \(part.section) is the start of it")
    for name in part.contentType.parameters.names {
        let value = part.contentType.parameters[name] ?? ""
        promise(!value.hasAnyControls, "parameter \(name) of \(part.section) is one clean line")
    }
}

/// Files and messages inside parts are bounded too, and a message in base64 is a message like any other.
private func checkHeld(_ message: ParsedMessage, limits: MIMELimits) {
    for part in message.parts {
        let files = message.heldFiles(in: part)
        promise(files.count <= 256, "files in a part are bounded")
        for file in files {
            promise(!file.name.hasAnyControls, "the name of a held file is one clean line")
            promise(file.bytes.count <= message.bytes.count, "a held file is no larger than the message")
        }
        if let inner = message.embeddedMessage(in: part) { checkTree(inner, limits: limits) }
    }
    _ = (message.report, message.calendarMethod, message.protection, message.contentDefects)
    if let html = message.html { promise(html.utf8.count <= 4 * limits.text, "HTML is bounded") }
}

private func checkText(_ message: ParsedMessage, limits: MIMELimits) {
    let text = message.text()
    promise(String(validating: text.utf8, as: UTF8.self) != nil, "text is valid UTF-8")
    promise(!text.hasControls, "text has no control characters: \(text.debugDescription.prefix(500))")
    promise(text.utf8.count <= limits.text, "text is at most \(limits.text) bytes, not \(text.utf8.count)")
    var zones = ""
    for zone in TextZones.split(text) { zones += zone.text }
    promise(zones == text, "the zones of a text are the text")
    promise(TextZones.ownText(of: text).utf8.count <= text.utf8.count, "own text is part of the text")
    for file in message.attachments {
        promise(!file.name.hasAnyControls, "the name of a file is one clean line")
        promise(file.size >= 0, "the size of a file is none below zero")
        let bytes = message.decodedBody(section: file.section)
        promise(bytes != nil, "attachment \(file.section) can be had by its number")
        promise(bytes?.count == file.size, "attachment \(file.section) is as long as it says")
    }
}

private func checkHeader(_ message: ParsedMessage) {
    promise(message.headers.count <= 2_000, "header fields are bounded")
    for field in message.headers {
        promise(!field.body.hasAnyControls, "the value of \(field.name) is one clean line")
    }
    let envelope = message.envelope
    promise(!envelope.subject.hasAnyControls, "the subject is one clean line")
    for list in [envelope.from, envelope.sender, envelope.replyTo, envelope.to, envelope.cc, envelope.bcc] {
        check(list, bytes: message.bytes.count)
    }
    promise(envelope.references.count <= 1_000, "references are bounded")
    promise(envelope.inReplyTo.count <= 256, "ids answered to are bounded")
    for id in [envelope.messageID].compactMap(\.self) + envelope.references + envelope.inReplyTo { check(id) }
}

/// Addresses are clean lines, and never more than the bytes they came from.
public func check(_ addresses: [EmailAddress], bytes: Int) {
    promise(addresses.count <= bytes, "addresses are no more than the bytes they came from")
    for address in addresses {
        promise(!address.displayName.hasAnyControls, "a name is one clean line")
        promise(!address.addrSpec.hasAnyControls, "an address is one clean line")
        promise(!address.displayName.isEmpty || !address.addrSpec.isEmpty, "an address says something")
    }
}

/// An id has two sides, no blanks, and fits in a line.
public func check(_ id: MessageID) {
    let bytes = Array(id.rawValue.utf8)
    promise(bytes.count <= 3_000, "an id fits in a line")
    let at = bytes.lastIndex(of: UInt8(ascii: "@"))
    promise(at != nil && at != 0 && bytes.last != UInt8(ascii: "@"), "an id has two sides: \(id.rawValue)")
    promise(!bytes.contains { $0 <= 0x20 || $0 == 0x7F }, "an id has no blanks and controls")
}
