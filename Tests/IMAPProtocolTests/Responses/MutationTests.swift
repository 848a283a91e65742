import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// Bytes that no server should send: the decoder must end, must not crash, and must not care how they are cut.
@Suite struct MutationTests {
    static let corpus =
        (statusRows + mailboxRows + fetchRows + extensionRows).map { bytes($0.raw) }
        + QuirkTests.rows.map { bytes($0.raw) }
    static let spice: [UInt8] =
        bytes("(){}[]<>\"\\*+~ \r\n0159:,%NILUIDFETCHBODY") + [0, 0x7F, 0x80, 0xC3, 0xFF]

    @Test("changed bytes are read without a crash, the same in any pieces", arguments: 0..<16)
    func mutate(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        let limits = ResponseLimits {
            $0.line = 2_000
            $0.body = 40
            $0.literal = 60
            $0.omitted = 5_000
        }
        for _ in 0..<150 {
            let mutant = Self.mutant(&random)
            let whole = Self.outcome(mutant, .max, limits)
            #expect(whole == Self.outcome(mutant, 1, limits), "\(mutant)")
            #expect(whole == Self.outcome(mutant, 7, limits), "\(mutant)")
        }
    }

    private struct Outcome: Equatable {
        var responses: [Response] = []
        var hasEnded = false
    }

    /// What was read, and whether the session ended; the actual size in an error depends on the chunking.
    private static func outcome(_ bytes: [UInt8], _ size: Int, _ limits: ResponseLimits) -> Outcome {
        var decoder = ResponseDecoder(limits: limits)
        var seen = Outcome()
        var rest = bytes[...]
        do throws(FramingError) {
            while !rest.isEmpty {
                decoder.feed(ByteBuffer(bytes: rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let response = try decoder.next() { seen.responses.append(response) }
            }
        } catch {
            seen.hasEnded = true
        }
        return seen
    }

    private static func mutant(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            bytes += corpus.randomElement(using: &random) ?? []
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
            let byte = spice.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < bytes.count: bytes[place] = byte
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2:
                bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0..<8, using: &random)))
            case 3:
                let end = min(bytes.count, place + Int.random(in: 0..<20, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.insert(byte, at: place)
            }
        }
        return bytes
    }
}
