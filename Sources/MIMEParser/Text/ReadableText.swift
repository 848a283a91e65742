/// What a person reads of a message: which parts, in which order, in which rendering.
///
/// Walks the parts with a stack of its own. Of alternatives it takes plain text where there is some, else the last
/// (best) one it can show; of related parts the first; of a signed message what was signed. RFC 2046 §5.1.
struct ReadableText {
    let message: ParsedMessage

    func read() -> String {
        var output = ""
        var stack = [message.root.index]
        while let index = stack.popLast() {
            let part = message.parts[index]
            if part.isContainer, part.contentType.isMultipart, !part.children.isEmpty {
                stack += shown(part).reversed()
                continue
            }
            guard isShown(part) else { continue }
            append(message.text(of: part), to: &output)
            if output.utf8.count >= message.limits.text { break }
        }
        return TextLines.capped(output, to: message.limits.text)
    }

    /// The children that are shown, in order.
    private func shown(_ part: Part) -> [Int] {
        switch part.contentType.subtype {
        case "alternative": best(part).map { [$0] } ?? []
        case "related": relatedRoot(part).map { [$0] } ?? []
        case "signed": Array(part.children.prefix(1))
        case "encrypted": []
        case _: part.children
        }
    }

    private func best(_ alternative: Part) -> Int? {
        let parts = alternative.children.map { message.parts[$0] }
        let plain = parts.first { part in
            part.contentType.isPlain && message.isInlineText(part)
                && !TextLines.isBlank(message.text(of: part))
        }
        if let plain { return plain.index }
        let rich = parts.last {
            ($0.contentType.isHTML && message.isInlineText($0)) || $0.contentType.isMultipart
        }
        return rich?.index ?? parts.first { isShown($0) }?.index
    }

    /// The part that `start` names, else the first. RFC 2387 §3.2.
    private func relatedRoot(_ related: Part) -> Int? {
        guard let start = related.contentType.parameters["start"] else { return related.children.first }
        return related.children.first { index in
            message.parts[index].contentIDField.map { message.bytes[$0].trimmed.text } == start
        } ?? related.children.first
    }

    private func isShown(_ part: Part) -> Bool {
        if part.contentType.type == "text", part.contentType.subtype == "calendar" { return false }
        return message.isInlineText(part)
    }

    private func append(_ text: String, to output: inout String) {
        guard !TextLines.isBlank(text) else { return }
        if !output.isEmpty {
            if output.utf8.last != ASCII.lf { output += "\n" }
            output += "\n"
        }
        output += text
    }
}

/// Lines of decoded text.
enum TextLines {
    /// CRLF and CR as LF, NUL dropped.
    static func normalised(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == ASCII.cr || $0 == ASCII.nul }) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var lastWasCR = false
        for byte in text.utf8 {
            if byte == ASCII.cr || byte == ASCII.lf {
                if !(byte == ASCII.lf && lastWasCR) { output.append(ASCII.lf) }
            } else if byte != ASCII.nul {
                output.append(byte)
            }
            lastWasCR = byte == ASCII.cr
        }
        return String(decoding: output, as: UTF8.self)
    }

    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
    }

    /// At most that many bytes, cut between characters' scalars.
    static func capped(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var bytes = Array(text.utf8.prefix(limit))
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
