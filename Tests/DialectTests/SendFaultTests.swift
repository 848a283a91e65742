import DialectServer
import Foundation
import Testing

/// At each place round DATA, the dot and the reply: nothing is sent twice, nothing is lost without a report.
///
/// `OPUS_SEND_FAULTS` says how many faults are played (48); `all` plays every one.
@Suite struct SendFaultTests {
    private static let shares = 4

    @Test(
        "an interrupted submission is never sent twice, and never lost without a report",
        arguments: 0..<shares)
    func everyPlace(share: Int) async throws {
        let wish = ProcessInfo.processInfo.environment["OPUS_SEND_FAULTS"] ?? "48"
        let all = SendFault.all
        let count = wish == "all" ? all.count : min(all.count, Int(wish) ?? 96)
        var played = 0
        var failures = 0
        var shown = 0
        for number in stride(from: share, to: count, by: Self.shares) {
            // Spread over all of them: the step is prime to their number.
            let fault = count == all.count ? all[number] : all[(number * 7_919) % all.count]
            let (problems, asked) = try await SendFaultGame(fault: fault).play()
            played += 1
            shown += asked
            failures += problems.isEmpty ? 0 : 1
            #expect(problems.isEmpty, "\(fault): \(problems.joined(separator: "; "))")
        }
        Figure.note("sends", "share \(share + 1), \(shown) shown", points: played, failures: failures)
    }
}
