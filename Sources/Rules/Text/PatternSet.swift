import CRE2

/// Searches for many patterns in one pass over a text: finds which of them occur.
///
/// Uses RE2::Set. It reports neither positions nor groups, so the patterns that it finds are matched again,
/// one by one; the others need not be matched. If it fails, all patterns may occur.
///
/// The trap: a set has no fallback when patterns make it slow (a single pattern has one), so only small
/// programs are added, and only short texts are searched.
final class PatternSet: @unchecked Sendable {
    /// In bytes; in longer texts, each pattern is matched separately.
    private let maximumText: Int
    // Immutable after compilation and matched from many threads, as RE2 allows: hence @unchecked.
    private let handle: OpaquePointer
    private let count: Int

    private static let maximumMemory: Int64 = 8 << 20
    private static let maximumProgram = 300
    private static let maximumPrograms = 4_000

    /// Plain texts without accents; nil: there are too many.
    convenience init?(literals: [FoldedText]) {
        self.init(literals.map(\.words), isLiteral: true, maximumText: 64 << 10)
    }

    /// Patterns that ``takes(_:)`` accepts; nil: together they are too large.
    convenience init?(patterns: [Pattern]) {
        guard patterns.reduce(0, { $0 + $1.programSize }) <= Self.maximumPrograms else { return nil }
        self.init(patterns.map { Array($0.source.utf8) }, isLiteral: false, maximumText: 4 << 10)
    }

    private init?(_ sources: [[UInt8]], isLiteral: Bool, maximumText: Int) {
        guard let handle = opus_re2_set_new(Self.maximumMemory) else { return nil }
        self.handle = handle
        self.maximumText = maximumText
        count = sources.count
        for source in sources {
            let number = source.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    opus_re2_set_add(handle, $0.baseAddress, $0.count, isLiteral ? 1 : 0)
                }
            }
            guard number >= 0 else { return nil }
        }
        guard opus_re2_set_compile(handle) == 1 else { return nil }
    }

    deinit { opus_re2_set_free(handle) }

    /// Whether a pattern is small enough for a set.
    static func takes(_ pattern: Pattern) -> Bool { pattern.programSize <= maximumProgram }

    /// Calls `found` with the index of each pattern that occurs in the text; false: unknown, any pattern may
    /// occur.
    func match(_ bytes: UnsafeBufferPointer<UInt8>, _ found: (Int) -> Void) -> Bool {
        guard bytes.count <= maximumText else { return false }
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: max(1, count)) { numbers in
            let known = bytes.withMemoryRebound(to: CChar.self) {
                opus_re2_set_match(handle, $0.baseAddress, $0.count, numbers.baseAddress)
            }
            guard known >= 0 else { return false }
            for index in 0..<Int(known) { found(Int(numbers[index])) }
            return true
        }
    }
}
