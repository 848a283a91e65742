import Testing

@testable import HTTPClient

@Suite("web addresses")
struct WebAddressTests {
    @Test(arguments: [
        ("https://X.example", "https://x.example/"),
        ("https://x.example:8443/a?b#c", "https://x.example:8443/a?b"),
        ("HTTPS://x.example?q", "https://x.example/?q"),
        ("http://x.example:80/", "http://x.example/"),
        ("http://x.example:443/", "http://x.example:443/"),
    ])
    func `an address is parsed`(text: String, whole: String) {
        #expect(WebAddress(text)?.description == whole)
    }

    @Test(arguments: [
        "https://", "https://u:p@x.example/", "https://x.example:0/", "https://x.example:99999/",
        "https://x.example/a b", "https://x.example/\r\nHost: evil", "https://[::1]/",
        "https://x.example:1:2/", "ftp://x.example/", "https:x.example", "https://.x/",
        "https://münchen.example/",
        "https://x.example/" + String(repeating: "a", count: 9000),
    ])
    func `an invalid or deceptive address is refused`(text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(arguments: [
        ("/c?d", "https://x.example:8443/c?d"), ("c", "https://x.example:8443/a/c"),
        ("?z", "https://x.example:8443/a/b?z"), ("//y.example/u", "https://y.example/u"),
        ("http://y.example", "http://y.example/"), ("HTTPS://y.example/%0d", "https://y.example/%0d"),
        ("c:d/e", nil), ("/a b", nil), ("/a\r\nX: y", nil), ("javascript:alert(1)", nil),
    ])
    func `the target of a redirect is resolved`(reference: String, whole: String?) throws {
        let base = try #require(WebAddress("https://x.example:8443/a/b?q=/1"))
        #expect(base.resolve(reference)?.description == whole)
    }

    @Test func `a form escapes everything that could end a field`() {
        #expect(
            FormEncoding.encode([("a b", "c&d=e+é\r\n"), ("code", "x-._~/")])
                == "a%20b=c%26d%3De%2B%C3%A9%0D%0A&code=x-._~%2F")
    }
}
