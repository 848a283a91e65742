import Models
import Testing

@testable import MIMEParser

@Suite struct FlowedWriterTests {
    static func soften(_ text: String) -> String? {
        FlowedWriter.soften(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A reader of its own, by the letter of RFC 3676 §4.
    static func joined(_ text: String) -> String {
        var output = ""
        var open: Int?
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
            let depth = line.prefix { $0 == ">" }.count
            var content = line.dropFirst(depth)
            if content.first == " " { content = content.dropFirst() }
            if open == nil {
                output += String(repeating: ">", count: depth) + (depth > 0 && !content.isEmpty ? " " : "")
            }
            output += content
            open = content.last == " " && content != "-- " ? depth : nil
            if open == nil { output += "\n" }
        }
        return String(output.dropLast())
    }

    static let long = String(repeating: "word ", count: 40) + "end"

    @Test(
        "a text with soft breaks is the same when joined",
        arguments: [
            long, "> " + long, ">> " + long, "short\n\n" + long + "\n-- \nAna\n", "  " + long,
            long + " From here and > there " + long, String(repeating: "a  b   ", count: 30) + "c",
            String(repeating: "x", count: 200) + " " + long, String(repeating: "-- ", count: 60) + "x",
            String(repeating: "Grüße 日本 ", count: 20) + "👩‍💻", "> short\n>\n> > x\n" + long,
            String(repeating: "> ", count: 5) + long, "From me\n" + long,
            String(repeating: "> - ", count: 40) + "x",
            String(repeating: "x", count: 80) + " -- " + String(repeating: "y", count: 80),
        ])
    func exact(_ text: String) throws {
        let flowed = try #require(Self.soften(text + "\n"))
        #expect(Self.joined(flowed) == text + "\n")
        for line in flowed.split(separator: "\r\n")
        where line.dropLast().contains(" ") && !line.hasPrefix("-- ") {
            #expect(line.count <= FlowedWriter.width || line.prefix(20).allSatisfy { $0 != " " })
            #expect(!line.hasPrefix("From "))
        }
    }

    @Test(
        "a text that needs no breaks, or that breaks would change, is not flowed",
        arguments: [
            "short\nlines\n", long + "\ntrailing \n", long + "\n>glued\n", long + "\n> \n",
            String(repeating: "x", count: 300), String(repeating: ">", count: 100) + " " + long,
            long + "\n\u{1B} stuffed\n",
        ])
    func left(_ text: String) {
        #expect(Self.soften(text) == nil)
    }

    @Test("a line with many quote marks and many words is refused")
    func marks() {
        let text = String(repeating: ">", count: 30_000) + " " + String(repeating: "a ", count: 30_000) + "b"
        #expect(Self.soften(text) == nil)
    }

    @Test("a message with long lines is declared as flowed, and read back as written")
    func message() throws {
        let text = "Hello\n\n" + Self.long + "\n> " + Self.long + "\n"
        var builder = MessageBuilderTests.builder(text: text)
        let flowed = MIMEParser.parse(try builder.build())
        #expect(flowed.root.contentType.parameters["format"] == "flowed")
        #expect(flowed.text() == text)
        builder.isFlowed = false
        let fixed = MIMEParser.parse(try builder.build())
        #expect(fixed.root.contentType.parameters["format"] == nil)
        #expect(fixed.text() == text)
    }
}
