import SASL
import Testing

@testable import Accounts

@Suite struct PrintedSecretTests {
    private func read(_ text: String, _ proof: Login.Proof = .token) throws -> (String, Duration?) {
        let printed = try PrintedSecret(Array(text.utf8), proof)
        return (printed.secret.reveal(), printed.life)
    }

    @Test(arguments: [
        ("ya29.token\n", "ya29.token", nil),
        ("ya29.token\r\nexpires_in: 3599\r\n", "ya29.token", 3599),
        ("ya29.token\nscope: mail\nexpires_in=60\n", "ya29.token", 60),
        (#"{"access_token":"ya29.token","expires_in":3599,"token_type":"Bearer"}"#, "ya29.token", 3599),
        ("\n { \"access_token\": \"t\", \"expires_in\": \"120\" }", "t", 120),
        (#"{"access_token":"t"}"#, "t", nil),
        ("t\nexpires_in: -5", "t", 0),
        ("t\nexpires_in: soon", "t", nil),
        (#"{"odd"}"#, #"{"odd"}"#, nil),
    ])
    func `a printed token may say how long it is valid`(_ text: String, _ token: String, _ seconds: Int?)
        throws
    {
        let (secret, life) = try read(text)
        #expect(secret == token)
        #expect(life == seconds.map { .seconds($0) })
    }

    @Test func `the password is the first line, whatever characters it has`() throws {
        let text = #"{"access_token":"t"}"# + "\nexpires_in: 5\n"
        #expect(try read(text, .password) == (#"{"access_token":"t"}"#, nil))
    }

    @Test(arguments: ["", "\n", "\r\nx"])
    func `an empty first line is not a token`(_ text: String) {
        #expect(throws: PrintedSecret.Unusable.self) { _ = try read(text) }
    }
}
