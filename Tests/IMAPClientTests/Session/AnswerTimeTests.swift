import Testing

@testable import IMAPClient

@Suite struct AnswerTimeTests {
    private let limit = Duration.seconds(60)

    @Test("a byte now and then earns no time")
    func drip() {
        var time = AnswerTime()
        for _ in 0..<3 { time.wait(.seconds(20), octets: 1) }
        #expect(time.left(of: limit, bodyOctets: 0) < .milliseconds(10))
    }

    @Test("message data on a slow line earns the time that it takes")
    func body() {
        var time = AnswerTime(bodyOctets: 1_000)
        time.wait(.seconds(600), octets: 200_000)
        #expect(time.left(of: limit, bodyOctets: 201_000) > limit)
        #expect(time.left(of: limit, bodyOctets: 1_000) < .zero)
    }

    @Test("other responses earn less, and not without end")
    func other() {
        var time = AnswerTime()
        time.wait(.seconds(300), octets: 4 << 20)
        #expect(time.left(of: limit, bodyOctets: 0) > limit)
        time.wait(.seconds(600), octets: 1 << 30)
        #expect(time.left(of: limit, bodyOctets: 0) < .zero)
    }
}
