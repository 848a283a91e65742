/// The text that a person reads of a message, and whether it ends at ``MIMELimits/text`` although the message has more.
public struct MessageText: Sendable {
    public let text: String
    public let isCut: Bool

    /// `withReports`: also what a delivery report says. RFC 3464.
    public init(of message: ParsedMessage, withReports: Bool = false) {
        let reading = ReadableText(message, withReports).read()
        text = reading.text
        isCut = reading.cut != nil
    }
}

/// The text that a person reads of a message. RFC 2046 §5.1, RFC 2387 §3.2, RFC 6522 §3.
///
/// It walks the parts with a stack. Of alternatives it takes the plain text if there is one, otherwise the last one
/// that it can show; of related parts the root; of a signed message the signed part; of a report the part for people
/// and, if asked for, what a delivery report says about each recipient.
/// Plain text that is blank, or only says that the message is HTML, is replaced by the HTML if that has text.
struct ReadableText {
    let message: ParsedMessage
    private let withReports: Bool
    private var output = ""
    /// The first part whose text was not read to its end.
    private var cut: Int?
    /// Plain text that the HTML replaces.
    private var stub = ""

    init(_ message: ParsedMessage, _ withReports: Bool = false) {
        self.message = message
        self.withReports = withReports
    }

    /// `cut`: the part whose text was not read to its end, because it is longer than ``MIMELimits/text``.
    func read() -> (text: String, cut: Int?) {
        var reader = self
        reader.walk()
        return (TextLines.capped(reader.output, to: message.limits.text), reader.cut)
    }

    private mutating func walk() {
        var stack = [message.root.index]
        while let index = stack.popLast() {
            let part = message.parts[index]
            guard output.utf8.count < message.limits.text else { return note(part) }
            if part.isContainer, part.contentType.isMultipart, !part.children.isEmpty {
                if part.contentType.subtype == "alternative" {
                    if let rich = readAlternative(part) { stack.append(rich) }
                } else {
                    stack += ShownParts(message).children(of: part).reversed()
                }
            } else if message.isInlineText(part) {
                append(message.text(of: part))
                if output.utf8.count > message.limits.text || isTooLong(part) { note(part) }
            } else if withReports, ShownParts(message).isDeliveryStatus(part) {
                append(message.deliveryReport(part).shownText)
            } else if let enclosed = EnclosedMessage(part, of: message) {
                let inner = ReadableText(enclosed.content, withReports).read()
                append(inner.text)
                if inner.cut != nil || enclosed.content.isBeyondLimits { note(part) }
            }
        }
        if output.isEmpty { append(stub) }
        if output.isEmpty { appendTNEFText() }
    }

    /// Reads the plain text; if it is useless, returns the part to read instead.
    private mutating func readAlternative(_ alternative: Part) -> Int? {
        let parts = alternative.children.map { message.parts[$0] }
        let rich = parts.last { mayHoldHTML($0) }
        let plain = parts.first { $0.contentType.isPlain && message.isInlineText($0) }
        if let plain {
            let text = message.text(of: plain)
            if !TextLines.isBlank(text), rich == nil || !Self.isStub(text) {
                append(text)
                if output.utf8.count > message.limits.text || isTooLong(plain) { note(plain) }
                return nil
            }
            stub = text
        }
        if let rich { return rich.index }
        return parts.last {
            $0.index != plain?.index && ($0.contentType.isMultipart || message.isInlineText($0))
        }?
        .index
    }

    /// `This message needs an HTML viewer.`
    private static func isStub(_ text: String) -> Bool {
        guard text.utf8.count <= 200 else { return false }
        let bytes = text.utf8.map(\.lowercasedASCII)
        return bytes.indices.contains { bytes[$0...].hasPrefix("html") }
    }

    /// Whether the part has more bytes of text, or of HTML, than opus reads.
    private func isTooLong(_ part: Part) -> Bool {
        let limit = message.limits.text
        guard part.bodyRange.count > limit else { return false }
        let read =
            part.contentType.isHTML
            ? message.decodedHTML(of: part, limit: limit + 1)
            : message.decodedBody(of: part, limit: limit + 1)
        return read.count > limit
    }

    private mutating func note(_ part: Part) { cut = cut ?? part.index }

    private mutating func append(_ text: String) {
        guard !TextLines.isBlank(text) else { return }
        guard !output.isEmpty else {
            output = text
            return
        }
        output += output.utf8.last == ASCII.lf ? "\n" : "\n\n"
        output += text
    }

    /// Outlook may put the text only into the winmail.dat.
    private mutating func appendTNEFText() {
        guard message.limits.opensFiles,
            let part = message.parts.first(where: { message.isTNEF($0) && !message.isInsideMessage($0) })
        else { return }
        let stream = TNEF(message.decodedBody(of: part))
        if !TextLines.isBlank(stream.text) {
            append(TextLines.normalised(stream.text))
        } else if !stream.html.isEmpty {
            let html = Charset.decode(stream.html, label: HTMLCharset.declared(in: stream.html))
            append(HTMLText.convert(html, limit: message.limits.text))
        }
    }
}

extension ParsedMessage {
    /// The text that a person reads. May be empty. With reports: also what a delivery report says. RFC 3464.
    public func text(withReports: Bool = false) -> String { ReadableText(self, withReports).read().text }
}

extension ReadableText {
    private func mayHoldHTML(_ part: Part) -> Bool {
        (part.contentType.isHTML && message.isInlineText(part))
            || (part.contentType.isMultipart && !part.children.isEmpty)
    }
}
