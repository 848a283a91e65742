import DialectServer
import Foundation
import Testing

/// Every command, every place in its answer, every way to end: afterwards each message is there once.
///
/// `OPUS_MATRIX` says how many cells are played on each dialect (10); `all` plays every one.
@Suite struct FaultMatrixTests {
    private static let dialects: [DialectProfile] = [
        .dovecot, .zimbra, .gmail, .stalwart, .courier,
    ]

    @Test(
        "after any cut connection, the next runs finish the batch and do each change once",
        arguments: dialects)
    func everyCell(_ profile: DialectProfile) async throws {
        let matrix = FaultMatrix(profile: profile)
        let cells = MatrixCell.all(of: try await matrix.heardWithoutFault())
        let wish = ProcessInfo.processInfo.environment["OPUS_MATRIX"] ?? "10"
        let count = wish == "all" ? cells.count : min(cells.count, Int(wish) ?? 20)
        var failures = 0
        for number in 0..<count {
            // Spread over the whole table: the step is prime to every size that it has.
            let cell = count == cells.count ? cells[number] : cells[(number * 7_919) % cells.count]
            let problems = try await matrix.play(cell)
            failures += problems.isEmpty ? 0 : 1
            #expect(problems.isEmpty, "\(profile), \(cell): \(problems.joined(separator: "; "))")
        }
        Figure.note("network", "\(profile)", points: count, failures: failures)
    }
}
