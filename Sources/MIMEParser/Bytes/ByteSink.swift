/// A destination of decoded bytes: memory, or only a count. Runs of bytes are added at once.
protocol ByteSink {
    /// Whether further bytes would be discarded.
    var isFull: Bool { get }
    mutating func put(_ byte: UInt8)
    mutating func put(_ run: UnsafeBufferPointer<UInt8>)
}

/// Writes to the caller's memory, never beyond its end.
struct ByteWriter: ByteSink {
    private let room: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    var isFull: Bool { count >= room.count }

    @inline(__always)
    mutating func put(_ byte: UInt8) {
        guard count < room.count else { return }
        room[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func put(_ run: UnsafeBufferPointer<UInt8>) {
        let taken = min(run.count, room.count - count)
        guard taken > 0, let source = run.baseAddress, let target = room.baseAddress else { return }
        (target + count).update(from: source, count: taken)
        count += taken
    }
}

/// Counts the decoded bytes.
struct ByteCounter: ByteSink {
    private(set) var count = 0

    var isFull: Bool { false }
    mutating func put(_ byte: UInt8) { count += 1 }
    mutating func put(_ run: UnsafeBufferPointer<UInt8>) { count += run.count }
}
