import Glibc
import Synchronization

/// Runs `iconv` with its own error handling: an invalid byte becomes U+FFFD, and decoding continues.
enum Iconv {
    struct Result {
        var text: String
        var errors: Int
    }

    static func opens(_ name: String) -> Bool {
        guard let converter = Converter.open(name) else { return false }
        converter.close()
        return true
    }

    /// nil: the system has no such converter. `unit`: the number of bytes to skip after an invalid sequence.
    static func decode(_ input: UnsafeBufferPointer<UInt8>, from name: String, unit: Int) -> Result? {
        guard let converter = Converters.take(name) else { return nil }
        defer { Converters.giveBack(converter, name) }
        var errors = 0
        var output: [UInt8] = []
        output.reserveCapacity(input.count * 2)
        withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 16) { chunk in
            // iconv takes a mutable pointer but does not write to it.
            var source = UnsafeMutableRawPointer(mutating: input.baseAddress)?
                .bindMemory(to: CChar.self, capacity: input.count)
            var left = input.count
            while left > 0 {
                let reason = converter.step(&source, &left, chunk, &output)
                guard let reason, reason != E2BIG else { continue }
                errors += 1
                output += replacement
                let skipped = reason == EINVAL ? left : min(unit, left)
                source = source.map { $0 + skipped }
                left -= skipped
            }
            // Stateful charsets may hold back the last character.
            var none: UnsafeMutablePointer<CChar>?
            var nothing = 0
            _ = converter.step(&none, &nothing, chunk, &output)
        }
        return Result(text: String(decoding: output, as: UTF8.self), errors: errors)
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
}

/// An open converter to UTF-8. ``Converters`` ensures that only one thread at a time uses it.
private struct Converter: @unchecked Sendable {
    private let handle: iconv_t

    static func open(_ name: String) -> Converter? {
        let handle = iconv_open("UTF-8", name)
        return handle == iconv_t(bitPattern: -1) ? nil : handle.map(Converter.init(handle:))
    }

    func close() { iconv_close(handle) }

    /// Resets the state for a new text.
    func reset() { _ = iconv(handle, nil, nil, nil, nil) }

    /// Converts until the buffer is full, the input ends or is invalid. Returns the `errno` of the last two.
    func step(
        _ source: inout UnsafeMutablePointer<CChar>?, _ left: inout Int,
        _ chunk: UnsafeMutableRawBufferPointer, _ output: inout [UInt8]
    ) -> Int32? {
        var target = chunk.bindMemory(to: CChar.self).baseAddress
        var room = chunk.count
        let result = iconv(handle, &source, &left, &target, &room)
        let reason = errno
        output.append(contentsOf: chunk.prefix(chunk.count - room))
        return result == -1 ? reason : nil
    }
}

/// Open converters for the next text. Opening one loads a library, which takes longer than decoding most texts.
///
/// For each name of the table there are at most as many as threads that used it at the same time.
private enum Converters {
    private static let waiting = Mutex<[String: [Converter]]>([:])

    static func take(_ name: String) -> Converter? {
        waiting.withLock { $0[name]?.popLast() } ?? Converter.open(name)
    }

    static func giveBack(_ converter: Converter, _ name: String) {
        converter.reset()
        waiting.withLock { $0[name, default: []].append(converter) }
    }
}
