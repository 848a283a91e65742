import Testing

@testable import Pipeline

/// The text of XML that a program printed; the file came from a stranger.
@Suite("Text of XML") struct XMLTextTests {
    @Test(
        "markup is left out, entities are decoded, and paragraphs are lines",
        arguments: [
            ("<a:p><a:r><a:t>Plain </a:t></a:r><a:t>of jars</a:t></a:p><a:p>x</a:p>", "Plain of jars\nx\n"),
            ("a &amp; b &lt;c&gt; &quot;d&apos; &#228; &#xE4;", "a & b <c> \"d' ä ä"),
            ("a & b &unknown; &#xD800; &#99999999999; &", "a & b &unknown; &#xD800; &#99999999999; &"),
            ("<?xml version=\"1.0\"?><!-- no --> yes", " yes"), ("cut <a:t", "cut "), ("", ""),
            ("é<b/>漢", "é漢"),
        ])
    func texts(_ document: String, _ text: String) {
        #expect(XMLText.plain(document) == text)
    }
}
