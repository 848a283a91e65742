/// A set of UIDs as ascending, separate ranges. opus sends sets only in this form. RFC 3501 §9 (`sequence-set`).
///
/// Some servers handle descending sets wrongly: Yahoo pairs COPYUID wrongly, and QQ answers BAD. opus never uses `*`,
/// because Cyrus resolves it to the visible messages.
public struct UIDSet: Hashable, Sendable {
    public private(set) var ranges: [ClosedRange<UInt32>] = []

    public init() {}

    /// Skips zero, which is not a UID.
    public init(_ uids: some Sequence<UInt32>) {
        self.init(ranges: uids.map { $0...$0 })
    }

    /// The ranges may overlap and be in any order.
    public init(ranges unordered: some Sequence<ClosedRange<UInt32>>) {
        let sorted = unordered.filter { $0.upperBound > 0 }.sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted {
            let lower = Swift.max(range.lowerBound, 1)
            if let last = ranges.last, lower <= last.upperBound || lower - last.upperBound == 1 {
                let upper = Swift.max(last.upperBound, range.upperBound)
                ranges[ranges.count - 1] = last.lowerBound...upper
            } else {
                ranges.append(lower...range.upperBound)
            }
        }
    }

    public init(_ range: ClosedRange<UInt32>) { self.init(ranges: [range]) }

    public var isEmpty: Bool { ranges.isEmpty }
    /// The number of UIDs in the set, whether they exist or not.
    public var count: Int { ranges.reduce(0) { $0 + $1.count } }
    public var first: UInt32? { ranges.first?.lowerBound }
    public var last: UInt32? { ranges.last?.upperBound }

    public func contains(_ uid: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < uid { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(uid)
    }

    /// The UIDs in ascending order. There may be four thousand million of them, so check ``count`` first.
    public var uids: some Sequence<UInt32> & Sendable { ranges.lazy.flatMap { $0 } }

    public func union(_ other: UIDSet) -> UIDSet { UIDSet(ranges: ranges + other.ranges) }

    /// Splits the set into pieces whose text is at most `maximumBytes` long; an empty set has no pieces.
    public func split(maximumBytes: Int) -> [UIDSet] {
        split(maximumBytes: maximumBytes, maximumCount: .max)
    }

    /// Like ``split(maximumBytes:)``, with at most `maximumCount` UIDs in each piece; a range may be divided.
    public func split(maximumBytes: Int, maximumCount: Int) -> [UIDSet] {
        var pieces: [UIDSet] = []
        var current = UIDSet()
        var length = 0
        var count = 0
        for var range in ranges {
            while true {
                let added = Self.text(of: range).utf8.count + 1
                if !current.isEmpty, length + added > maximumBytes || count >= maximumCount {
                    pieces.append(current)
                    current = UIDSet()
                    length = 0
                    count = 0
                }
                let room = Swift.max(1, maximumCount - count)
                guard range.count > room else { break }
                let end = range.lowerBound + UInt32(room - 1)
                current.ranges.append(range.lowerBound...end)
                count += room
                length += added
                range = (end + 1)...range.upperBound
            }
            current.ranges.append(range)
            count += range.count
            length += Self.text(of: range).utf8.count + 1
        }
        if !current.isEmpty { pieces.append(current) }
        return pieces
    }

    private static func text(of range: ClosedRange<UInt32>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound):\(range.upperBound)"
    }
}

extension UIDSet: CustomStringConvertible {
    /// The text for a command: `1:4,7,9:12`.
    public var description: String { ranges.map(Self.text).joined(separator: ",") }
}

extension UIDSet: ExpressibleByArrayLiteral {
    public init(arrayLiteral uids: UInt32...) { self.init(uids) }
}
