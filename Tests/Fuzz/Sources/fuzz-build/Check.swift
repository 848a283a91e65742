// What the parser reads of a message that the builder wrote, beside what it was told to write.

import MIMEParser
import Models
import Oracle

func check(_ bytes: [UInt8], of builder: MessageBuilder) {
    checkWire(bytes)
    let message = MIMEParser.parse(bytes)
    check(message, limits: .standard)
    promise(message.defects.isEmpty, "what we build has no defects: \(message.defects)")
    checkEnvelope(message.envelope, of: builder)
    checkTexts(message, of: builder)
    checkFiles(message, of: builder)
}

/// CRLF and nothing else ends a line, no line is too long, nothing is above ASCII.
private func checkWire(_ bytes: [UInt8]) {
    var length = 0
    for (index, byte) in bytes.enumerated() {
        promise(byte < 0x80 && byte != 0, "seven bits, no NUL")
        if byte == 0x0D { promise(index + 1 < bytes.count && bytes[index + 1] == 0x0A, "no bare CR") }
        if byte == 0x0A {
            promise(index > 0 && bytes[index - 1] == 0x0D, "no bare LF")
            promise(length <= 999, "no line is longer than 998 bytes")
            length = 0
        } else {
            length += 1
        }
    }
}

private func checkEnvelope(_ envelope: Envelope, of builder: MessageBuilder) {
    promise(
        envelope.subject == HeaderText.clean(builder.subject),
        "the subject comes back: \(envelope.subject.debugDescription) of \(builder.subject.debugDescription)")
    compare(envelope.from, [builder.from])
    compare(envelope.to, builder.to)
    compare(envelope.cc, builder.cc)
    promise(envelope.bcc.isEmpty, "hidden recipients are hidden")
    promise(envelope.date == builder.date, "the date comes back")
    promise(envelope.messageID == builder.messageID, "the id comes back")
    promise(envelope.inReplyTo == [builder.inReplyTo].compactMap(\.self), "the id answered to comes back")
    let references = builder.references
    promise(
        references.count > 700 || envelope.references == references, "references come back")
}

private func compare(_ found: [EmailAddress], _ expected: [EmailAddress]) {
    promise(found.count == expected.count, "as many addresses as were given: \(found) of \(expected)")
    for (one, other) in zip(found, expected) {
        promise(
            one.displayName == HeaderText.clean(other.displayName),
            "a name comes back: \(one.displayName.debugDescription) of \(other.displayName.debugDescription)")
        promise(one.localPart == unquoted(other.localPart), "a local part comes back: \(one) of \(other)")
        let domain = InternationalDomain.toASCII(other.domain) ?? other.domain
        promise(one.domain == domain.lowercased(), "a domain comes back: \(one) of \(other)")
    }
}

/// The parser drops quotes that need not be there.
private func unquoted(_ local: String) -> String {
    guard local.utf8.count >= 3, local.utf8.first == UInt8(ascii: "\""), local.utf8.last == UInt8(ascii: "\"")
    else { return local }
    let address = AddressList.read(local + "@example.org").first
    return address?.localPart ?? local
}

private func checkTexts(_ message: ParsedMessage, of builder: MessageBuilder) {
    if let html = builder.html {
        let part = message.htmlPart.map { message.decodedBody(of: $0) } ?? []
        promise(lines(html) == part || html.isEmpty, "the HTML comes back")
        guard !builder.text.isEmpty else { return }
    }
    let plain = message.parts.first {
        $0.contentType.description == "text/plain" && message.decodedBody(of: $0) == lines(builder.text)
    }
    // Soft breaks change the bytes; then the text that is read is what was written, but for what no text has. A short
    // one that speaks of HTML gives way to the HTML.
    let mayGiveWay =
        builder.html != nil && builder.text.utf8.count <= 400 && builder.text.lowercased().contains("html")
    guard plain == nil, !mayGiveWay, !holdsBlocks(builder.text), !builder.text.hasControls else { return }
    let (found, given) = (readable(message.text()), readable(builder.text))
    promise(found.utf8.starts(with: given.utf8), "the text comes back: \(difference(found, given))")
}

/// Where two texts part, in code points.
private func difference(_ found: String, _ given: String) -> String {
    let same = zip(found.unicodeScalars, given.unicodeScalars).prefix { $0 == $1 }.count
    func rest(_ text: String) -> [String] {
        text.unicodeScalars.dropFirst(max(0, same - 10)).prefix(20).map { String($0.value, radix: 16) }
    }
    return "\(rest(found)) of \(rest(given)) at \(same)"
}

/// Blocks of uuencode and yEnc are files, also in a text that we wrote.
private func holdsBlocks(_ text: String) -> Bool {
    ["begin ", "=ybegin"].contains { text.utf8.contains($0.utf8) }
}

private func checkFiles(_ message: ParsedMessage, of builder: MessageBuilder) {
    // A text without a name that stands inline is text.
    let inline = builder.inlineFiles.map(\.file).filter {
        !HeaderText.clean($0.name).isEmpty || !$0.contentType.hasPrefix("text/")
    }
    let expected = inline + builder.files
    let found = message.attachments.filter { !$0.section.contains(":") }
    promise(found.count == expected.count, "as many files as were given: \(found) of \(expected.map(\.name))")
    for (one, other) in zip(found, expected) {
        promise(
            one.name == HeaderText.clean(other.name),
            "the name of a file comes back: \(one.name.debugDescription) of \(other.name.debugDescription)")
        promise(one.contentType == other.contentType, "the type of a file comes back")
        promise(message.decodedBody(section: one.section) == other.bytes, "the bytes of a file come back")
    }
}

/// Lines that end with CRLF, the last one too.
private func lines(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    var last: UInt8 = 0
    for byte in text.utf8 {
        if byte == 0x0A || byte == 0x0D {
            if !(byte == 0x0A && last == 0x0D) { output += [0x0D, 0x0A] }
        } else {
            output.append(byte)
        }
        last = byte
    }
    if let end = output.last, end != 0x0A { output += [0x0D, 0x0A] }
    return output
}

/// Without line ends and blanks at its end, control characters and byte order mark.
private func readable(_ text: String) -> String {
    let clean = String(decoding: lines(text), as: UTF8.self).unicodeScalars.filter {
        $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
    }
    var view = String.UnicodeScalarView(clean)[...]
    if view.first == "\u{FEFF}" { view.removeFirst() }
    while let end = view.last, end == "\n" || end == " " || end == "\t" { view.removeLast() }
    return String(view)
}
