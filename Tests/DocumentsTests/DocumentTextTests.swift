import Foundation
import Pipeline
import Testing

@testable import Documents

@Suite("Text of documents")
struct DocumentTextTests {
    private struct Sample: Encodable {
        var schema = "opus.sample/1"
        var text: String
    }

    @Test("a document on many lines has sorted keys and ends with a line feed")
    func pretty() throws {
        let text = String(decoding: try DocumentText.pretty(Sample(text: "a/b")), as: UTF8.self)
        #expect(text == "{\n  \"schema\" : \"opus.sample/1\",\n  \"text\" : \"a/b\"\n}\n")
    }

    @Test("a document on one line is one line")
    func line() throws {
        let text = String(decoding: try DocumentText.line(Sample(text: "a\nb")), as: UTF8.self)
        #expect(text == "{\"schema\":\"opus.sample/1\",\"text\":\"a\\nb\"}\n")
    }

    @Test(
        "control characters are escaped, and read back as the same text",
        arguments: ["\u{9B}31m", "\u{7F}", "\u{202E}exe", "\u{2028}", "\u{E0041}", "\u{1B}[2J", "Ünïcödé 📎"])
    func harmless(_ text: String) throws {
        let line = try DocumentText.line(Sample(text: text))
        let shown = String(decoding: line, as: UTF8.self)
        #expect(shown.dropLast().unicodeScalars.allSatisfy { !$0.isHarmfulOnTerminal })
        let read = try JSONDecoder().decode([String: String].self, from: line)
        #expect(read["text"] == text)
    }
}
