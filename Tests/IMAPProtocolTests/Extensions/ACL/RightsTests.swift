import Testing

@testable import IMAPProtocol

@Suite struct RightsTests {
    @Test(
        "the right to expunge is e, or d on servers without the newer letters",
        arguments: [
            ("lrswipkxtea", true), ("lrswiat", false), ("lrswiatd", false), ("lrswipcda", true),
            ("lrswipca", false), ("", true),
        ])
    func expunge(_ rights: String, _ isAllowed: Bool) {
        #expect(RightsResponse(mailbox: [], rights: rights).allowsExpunge == isAllowed)
    }
}
