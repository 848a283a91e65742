import NIOCore
import TestSupport

@testable import IMAPProtocol

/// Leniencies in ENVELOPE and BODYSTRUCTURE: the raw bytes, and what they are read as.
extension QuirkTests {
    static let structureRows: [QuirkRow] = envelopeRows + partRows

    private static let envelopeRows: [QuirkRow] = [
        QuirkRow(.nilStructure, "* 1 FETCH (ENVELOPE NIL)\r\n", unreadable("ENVELOPE")),
        QuirkRow(.nilStructure, "* 1 FETCH (BODYSTRUCTURE ())\r\n", unreadable("BODYSTRUCTURE")),
        QuirkRow(
            .shortEnvelope, enveloped(#"NIL "s" NIL NIL NIL NIL NIL NIL NIL"#),
            envelope { $0.subject = bytes("s") }),
        QuirkRow(
            .shortEnvelope, enveloped(#"NIL "s" NIL NIL NIL NIL NIL"#), unreadable("ENVELOPE")),
        QuirkRow(
            .emptyAddressList, enveloped(#"NIL "s" NIL NIL NIL NIL () NIL NIL NIL"#),
            envelope { $0.subject = bytes("s") }),
        QuirkRow(
            .malformedAddress, enveloped(#"NIL "s" ((NIL "a" "b")) NIL NIL NIL NIL NIL NIL NIL"#),
            envelope { $0.subject = bytes("s") }),
        QuirkRow(
            .swappedAddress,
            enveloped(#"NIL NIL (("<sender@example.com>" NIL "Dummy" NIL)) NIL NIL NIL NIL NIL NIL NIL"#),
            envelope {
                $0.from = [
                    EnvelopeAddress(
                        name: bytes("Dummy"), mailbox: bytes("sender"), host: bytes("example.com"))
                ]
            }),
        QuirkRow(
            .placeholderAddress,
            enveloped(#"NIL NIL ((NIL NIL "ann" ".MISSING-HOST-NAME.")) NIL NIL NIL NIL NIL NIL NIL"#),
            envelope { $0.from = [EnvelopeAddress(mailbox: bytes("ann"))] }),
        QuirkRow(
            .placeholderAddress,
            enveloped(#"NIL NIL ((NIL NIL "ann" "MISSING_DOMAIN")) NIL NIL NIL NIL NIL NIL NIL"#),
            envelope { $0.from = [EnvelopeAddress(mailbox: bytes("ann"))] }),
        QuirkRow(
            .unescapedQuote, enveloped(#"NIL NIL NIL NIL NIL NIL NIL NIL NIL "<"x@y>""#),
            envelope { $0.messageID = bytes(#"<"x@y>"#) }),
        QuirkRow(
            .strayQuote, enveloped(#"NIL say"so NIL NIL NIL NIL NIL NIL NIL NIL"#), unreadable("ENVELOPE")),
    ]

    private static let partRows: [QuirkRow] = [
        QuirkRow(
            .emptyMultipart, structured(#"NIL "alternative" ("boundary" "x") NIL NIL NIL"#),
            part("", "multipart", "alternative") {
                $0.parameters = [BodyParameter(name: "boundary", value: bytes("x"))]
            }),
        QuirkRow(
            .emptyMultipart, structured(#""ALTERNATIVE""#), part("", "multipart", "alternative") { _ in }),
        QuirkRow(
            .missingMediaType, structured(#"NIL NIL NIL NIL NIL "7BIT" 12"#),
            part("1", "", "") { $0.size = 12 }),
        QuirkRow(
            .missingSubtype, structured(#""X-ZIP" ("BOUNDARY" "b") NIL NIL "BASE64" 12"#),
            part("1", "x-zip", "") {
                $0.parameters = [BodyParameter(name: "boundary", value: bytes("b"))]
                $0.encoding = "base64"
                $0.size = 12
            }),
        QuirkRow(
            .missingSize, structured(#""IMAGE" "PNG" NIL NIL NIL "BASE64""#),
            part("1", "image", "png") { $0.encoding = "base64" }),
        QuirkRow(
            .missingSize, structured(#""IMAGE" "PNG" NIL NIL NIL "BASE64" NIL NIL ("inline" NIL)"#),
            part("1", "image", "png") {
                $0.encoding = "base64"
                $0.disposition = BodyDisposition(type: "inline")
            }),
        QuirkRow(
            .missingLineCount, structured(#""TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 NIL ("inline" NIL)"#),
            part("1", "text", "plain") {
                $0.size = 12
                $0.disposition = BodyDisposition(type: "inline")
            }),
        QuirkRow(
            .messageWithoutEnvelope,
            structured(#""MESSAGE" "RFC822" NIL NIL NIL "7BIT" 700 NIL ("attachment" NIL)"#),
            part("1", "message", "rfc822") {
                $0.size = 700
                $0.disposition = BodyDisposition(type: "attachment")
            }),
        QuirkRow(
            .emptyParameterList, structured(#""IMAGE" "GIF" () NIL NIL "7BIT" 12"#),
            part("1", "image", "gif") { $0.size = 12 }),
        QuirkRow(
            .parameterWithoutValue, structured(#""IMAGE" "GIF" ("name" NIL) NIL NIL "7BIT" 12"#),
            part("1", "image", "gif") {
                $0.size = 12
                $0.parameters = [BodyParameter(name: "name", value: [])]
            }),
        QuirkRow(
            .dispositionAsString, structured(#""IMAGE" "GIF" NIL NIL NIL "7BIT" 12 NIL "inline" NIL"#),
            part("1", "image", "gif") {
                $0.size = 12
                $0.disposition = BodyDisposition(type: "inline")
            }),
        QuirkRow(
            .emptyDisposition, structured(#""IMAGE" "GIF" NIL NIL NIL "7BIT" 12 NIL (NIL NIL) NIL"#),
            part("1", "image", "gif") { $0.size = 12 }),
        QuirkRow(
            .quotedNumber, structured(#""IMAGE" "GIF" NIL NIL NIL "7BIT" "12""#),
            part("1", "image", "gif") { $0.size = 12 }),
        QuirkRow(
            .negativeNumber, structured(#""TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 -1"#),
            part("1", "text", "plain") { $0.size = 12 }),
        QuirkRow(
            .wrappedNumber, structured(#""TEXT" "PLAIN" NIL NIL NIL "7BIT" 12 4294967295"#),
            part("1", "text", "plain") { $0.size = 12 }),
        QuirkRow(
            .multipartDescription,
            structured(#"("IMAGE" "GIF" NIL NIL NIL "7BIT" 12) "MIXED" NIL "S/MIME Message" NIL NIL"#),
            structure {
                var root = BodyPart(section: "", type: "multipart", subtype: "mixed")
                root.children = [1]
                root.description = bytes("S/MIME Message")
                var child = BodyPart(section: "1", parent: 0, type: "image", subtype: "gif")
                child.size = 12
                return [root, child]
            }),
    ]

    private static func enveloped(_ fields: String) -> String { "* 1 FETCH (ENVELOPE (\(fields)))\r\n" }
    private static func structured(_ fields: String) -> String { "* 1 FETCH (BODYSTRUCTURE (\(fields)))\r\n" }

    private static func unreadable(_ item: String) -> Response {
        var fetch = FetchResponse(sequenceNumber: 1)
        fetch.unreadable = [UnreadableItem(name: item)]
        return .fetch(fetch)
    }

    private static func envelope(_ fill: (inout Envelope) -> Void) -> Response {
        var fetch = FetchResponse(sequenceNumber: 1)
        var envelope = Envelope()
        fill(&envelope)
        fetch.envelope = envelope
        return .fetch(fetch)
    }

    private static func part(
        _ section: String, _ type: String, _ subtype: String, _ fill: (inout BodyPart) -> Void
    ) -> Response {
        structure {
            var part = BodyPart(section: section, type: type, subtype: subtype)
            fill(&part)
            return [part]
        }
    }

    private static func structure(_ parts: () -> [BodyPart]) -> Response {
        var fetch = FetchResponse(sequenceNumber: 1)
        fetch.bodyStructure = BodyStructure(parts: parts())
        return .fetch(fetch)
    }
}
