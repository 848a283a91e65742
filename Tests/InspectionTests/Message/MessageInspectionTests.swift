import Foundation
import Models
import Testing

@testable import Inspection

/// What `opus inspect` and `opus show` say of a file.
@Suite("Inspection")
struct InspectionTests {
    private func inspection(_ text: String) -> MessageInspection {
        OpenMessage(Array(text.utf8), name: "x.eml").inspection()
    }

    @Test("a key without a value is left out, and an empty list is kept")
    func keys() throws {
        let encoded = try JSONEncoder().encode(inspection("Subject: x\n\ny"))
        let keys = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        #expect(
            Set(keys.keys) == [
                "file", "size", "sha256", "subject", "baseSubject", "from", "sender", "replyTo",
                "to", "cc", "bcc",
                "inReplyTo", "references", "text", "ownText", "parts", "attachments", "beyondLimits",
                "defects",
            ])
    }

    @Test(
        "the encoding is the keyword of the field in lower case",
        arguments: [
            ("BASE64", "base64"), ("Quoted-Printable", "quoted-printable"), ("x-uuencode", "x-uuencode"),
            ("8Bit (raw)", "8bit"), (" 7bit;", "7bit"), ("", "7bit"),
        ])
    func encoding(_ field: String, _ word: String) {
        #expect(inspection("Content-Transfer-Encoding: \(field)\n\nx").parts[0].encoding == word)
        #expect(inspection("Subject: none\n\nx").parts[0].encoding == "7bit")
    }

    @Test(
        "the date keeps the sender's offset, and is UTC if the offset is unknown",
        arguments: [
            ("Thu, 05 Mar 2026 10:00:00 +0100", "2026-03-05T10:00:00+01:00"),
            ("Thu, 05 Mar 2026 10:00:00 -0330", "2026-03-05T10:00:00-03:30"),
            ("Thu, 05 Mar 2026 10:00:00 -0000", "2026-03-05T10:00:00Z"),
            ("5 Mar 2026 10:00", "2026-03-05T10:00:00Z"),
        ])
    func date(_ field: String, _ text: String) {
        #expect(inspection("Date: \(field)\n\nx").date == text)
    }

    @Test("an unreadable date is left out")
    func noDate() {
        #expect(inspection("Date: tomorrow\n\nx").date == nil)
    }

    @Test(
        "an argument with a slash or a dot, or -, names a file",
        arguments: [
            ("-", true), ("a.eml", true), ("./a", true), ("/a", true), ("..", true), ("7k2q", false),
            ("m:7k2q", false), ("", false), ("letter", false),
        ])
    func fileOrID(_ word: String, _ isFile: Bool) {
        #expect(InspectionFile.isMeant(by: word) == isFile)
    }

    @Test("a file is read up to the limit, and refused one byte above it")
    func limit() throws {
        let path = FileManager.default.temporaryDirectory.path + "/opus-inspection-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try InspectionFile.read(path, limit: 200_000) == bytes)
        #expect(refusal { try InspectionFile.read(path, limit: 199_999) } == "file-too-large 65")
    }

    @Test("input from a pipe is limited too")
    func pipe() throws {
        #expect(
            refusal { try InspectionFile.read("/dev/zero", limit: 1 << 20) }
                == "file-too-large 65")
    }

    @Test(
        "an unreadable file is an error with its reason",
        arguments: [
            ("/nowhere/at.all", "no-such-file 66"), ("/", "is-folder 65"),
            ("/etc/hosts/x", "no-such-file 66"),
        ])
    func unreadable(_ path: String, _ problem: String) {
        #expect(refusal { try InspectionFile.read(path) } == problem)
    }
}
