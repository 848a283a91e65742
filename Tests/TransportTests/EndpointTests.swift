import Testing
import Transport

@Suite struct EndpointTests {
    @Test(arguments: [
        ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("127.255.3.4", true), ("::1", true),
        ("[::1]", true), ("128.0.0.1", false), ("127.0.0", false), ("127.0.0.256", false),
        ("127.0.0.1.example.org", false), ("127.evil.example.org", false), ("localhost.example.org", false),
        ("127.0.0.+1", false), ("127.0.0.", false), ("::2", false), ("", false), ("0.0.0.0", false),
    ])
    func `only addresses of this machine are loopback`(host: String, isLoopback: Bool) {
        #expect(Endpoint(host: host, port: 25).isLoopback == isLoopback)
    }

    @Test(arguments: [
        ("mail.example.org", "mail.example.org:993"), ("[2001:db8::1]", "[2001:db8::1]:993"),
        ("2001:db8::1", "[2001:db8::1]:993"),
    ])
    func `an address literal is readable beside its port`(host: String, text: String) {
        #expect("\(Endpoint(host: host, port: 993))" == text)
    }

    @Test func `every error names the endpoint`() {
        let endpoint = Endpoint(host: "mail.example.org", port: 993)
        let error = TransportError(.badCAFile(path: "ca.pem"), endpoint: endpoint)
        #expect(error.description.hasPrefix("mail.example.org:993: "))
        #expect(error.description.contains("ca.pem"))
    }
}
