/// A set of row numbers, one bit each.
struct RowSet {
    private var words: [UInt64] = []
    private(set) var count = 0

    func contains(_ row: Int64) -> Bool {
        let index = Int(row >> 6)
        return row >= 0 && index < words.count && words[index] & (1 << UInt64(row & 63)) != 0
    }

    mutating func insert(_ row: Int64) {
        guard row >= 0, !contains(row) else { return }
        let index = Int(row >> 6)
        if index >= words.count {
            words.append(contentsOf: repeatElement(0, count: max(index + 1 - words.count, words.count)))
        }
        words[index] |= 1 << UInt64(row & 63)
        count += 1
    }

    /// Every row from 1 to this one.
    mutating func insert(through last: Int64) {
        guard last > 0 else { return }
        for row in 1...last { insert(row) }
    }

    /// All rows, in ascending order.
    var all: [Int64] {
        words.indices.flatMap { index in
            (0..<64 as Range<Int64>).compactMap { bit in
                words[index] & (1 << UInt64(bit)) != 0 ? Int64(index) << 6 | bit : nil
            }
        }
    }
}
