// Bytes steer a description of a message; what is built of it is read as it was meant.

import MIMEParser
import Models
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    var source = Source(bytes: input(data, count))
    let builder = source.builder()
    do throws(BuilderError) {
        check(try builder.build(), of: builder)
    } catch {
        promise(!error.description.hasAnyControls, "an error is one clean line")
    }
    return 0
}

/// Hands out the bytes of the input as numbers, texts and addresses.
private struct Source {
    var bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func number(_ limit: Int) -> Int {
        guard index < bytes.count else { return 0 }
        defer { index += 1 }
        return Int(bytes[index]) % limit
    }

    mutating func raw() -> [UInt8] {
        let count = number(256)
        let low = min(index, bytes.count)
        index = min(low + count, bytes.count)
        return Array(bytes[low..<index])
    }

    mutating func text() -> String { String(decoding: raw(), as: UTF8.self) }

    mutating func address() -> EmailAddress {
        let name = number(2) == 0 ? text() : "Ann Example"
        guard number(4) == 0 else {
            return EmailAddress(displayName: name, localPart: "ann\(number(100))", domain: "example.org")
        }
        return EmailAddress(
            displayName: name, localPart: text(), domain: number(2) == 0 ? text() : "example.org")
    }

    mutating func file() -> MessageBuilder.File {
        let types = ["application/pdf", "text/plain", "image/png", "text/html", "application/octet-stream"]
        return MessageBuilder.File(name: text(), contentType: types[number(types.count)], bytes: raw())
    }

    mutating func builder() -> MessageBuilder {
        var builder = MessageBuilder(
            from: address(), to: (0..<number(4)).map { _ in address() }, subject: text(),
            text: (0..<number(4)).map { _ in text() }.joined(),
            date: Timestamp(seconds: Int64(number(256)) << 23 | Int64(number(256))),
            messageID: MessageID("\(number(256))@example.org"))
        builder.zoneOffsetSeconds = (number(48) - 24) * 1_800
        builder.cc = (0..<number(3)).map { _ in address() }
        builder.bcc = (0..<number(3)).map { _ in address() }
        builder.references = (0..<number(40)).map { MessageID("\($0)@example.org") }
        builder.inReplyTo = builder.references.last
        builder.isFlowed = number(2) == 0
        if number(3) == 0 { builder.html = text() + text() }
        builder.inlineFiles = (0..<number(3)).map {
            MessageBuilder.InlineFile(contentID: "\($0)@example.org", file: file())
        }
        builder.files = (0..<number(4)).map { _ in file() }
        return builder
    }
}
