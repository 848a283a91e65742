import SMTPProtocol
import Testing

@Suite struct EHLOResponseTests {
    private func response(_ lines: String...) -> EHLOResponse {
        EHLOResponse(Reply(code: 250, lines: ["mail.example.org"] + lines))
    }

    @Test func `keywords are read in any case`() {
        let server = response("size 1000", "STARTTLS", "Auth plain LOGIN", "8bitmime", "X-OTHER", "")
        #expect(server.offers(.size) && server.offers(.startTLS) && server.offers(.eightBitMIME))
        #expect(!server.offers(.pipelining) && !server.offers(.smtpUTF8))
        #expect(server.maximumSize == 1_000)
        #expect(server.authMechanisms == ["PLAIN", "LOGIN"])
    }

    @Test func `the server's own name is not a keyword`() {
        #expect(!EHLOResponse(Reply(code: 250, lines: ["STARTTLS"])).offers(.startTLS))
    }

    @Test(arguments: ["SIZE", "SIZE 0", "SIZE x", "SIZE -5", "SIZE 99999999999999999999999"])
    func `an invalid size limit is ignored`(line: String) {
        #expect(response(line).maximumSize == nil)
        #expect(response(line).offers(.size))
    }

    @Test func `quirk: AUTH with an equals sign`() {
        #expect(response("AUTH=LOGIN PLAIN").authMechanisms == ["LOGIN", "PLAIN"])
        #expect(response("AUTH LOGIN", "AUTH=LOGIN").authMechanisms == ["LOGIN", "LOGIN"])
    }
}
