/// Where decoded bytes go: into memory, or only into a count.
protocol ByteSink {
    /// Whether more bytes are of no use.
    var isFull: Bool { get }
    mutating func put(_ byte: UInt8)
}

/// Keeps what was decoded, up to a limit.
struct ByteCollector: ByteSink {
    private(set) var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int, expecting count: Int = 0) {
        self.limit = limit
        bytes.reserveCapacity(min(limit, count))
    }

    var isFull: Bool { bytes.count >= limit }

    mutating func put(_ byte: UInt8) {
        guard bytes.count < limit else { return }
        bytes.append(byte)
    }
}

/// Counts what would be decoded.
struct ByteCounter: ByteSink {
    private(set) var count = 0

    var isFull: Bool { false }
    mutating func put(_ byte: UInt8) { count += 1 }
}
