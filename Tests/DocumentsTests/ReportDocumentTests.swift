import Documents
import Foundation
import Inspection
import Testing

/// The documents of `opus inspect`.
@Suite("Documents of reports")
struct ReportDocumentTests {
    @Test("the document has the keys of the report and the schema beside them")
    func keys() throws {
        let report = HTMLInspection(Array("<p>Hello".utf8), file: "x.html")
        var keys = try Self.object(report)
        let document = try Self.object(HtmlDocument(report))
        #expect(keys["schema"] == nil && keys["file"] as? String == "x.html")
        keys["schema"] = "opus.html/1"
        #expect(NSDictionary(dictionary: document) == NSDictionary(dictionary: keys))
    }

    private static func object(_ value: some Encodable) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: try DocumentText.line(value))
        return try #require(json as? [String: Any])
    }
}
