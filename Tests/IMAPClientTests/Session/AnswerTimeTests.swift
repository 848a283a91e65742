import Testing

@testable import IMAPClient

@Suite struct AnswerTimeTests {
    private let limit = Duration.seconds(60)

    @Test("single bytes do not extend the time limit")
    func drip() {
        var time = AnswerTime()
        for _ in 0..<3 { time.wait(.seconds(20), octets: 1) }
        #expect(time.left(of: limit, bodyOctets: 0) < .milliseconds(10))
    }

    @Test("message data on a slow line extends the time limit")
    func body() {
        var time = AnswerTime(bodyOctets: 1_000)
        time.wait(.seconds(600), octets: 200_000)
        #expect(time.left(of: limit, bodyOctets: 201_000) > limit)
        #expect(time.left(of: limit, bodyOctets: 1_000) < .zero)
    }

    @Test("other responses extend the time limit up to a maximum")
    func other() {
        var time = AnswerTime()
        time.wait(.seconds(300), octets: 4 << 20)
        #expect(time.left(of: limit, bodyOctets: 0) > limit)
        time.wait(.seconds(600), octets: 1 << 30)
        #expect(time.left(of: limit, bodyOctets: 0) < .zero)
    }
}
