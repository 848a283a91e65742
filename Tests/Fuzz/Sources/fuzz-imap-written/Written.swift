// Bytes steer what a server by the letter says; what it writes is read as it was meant, and without a quirk.

import IMAPOracle
import IMAPProtocol
import NIOCore
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    var writer = Writer(Source(input(data, count)))
    var expected: [Response] = []
    repeat { expected.append(writer.response()) } while !writer.source.isAtEnd && expected.count < 8
    for pieces in [Pieces.whole, .sevens] {
        let reading = Reading(writer.bytes, pieces, .standard)
        if reading.responses != expected {
            for (read, meant) in zip(reading.responses, expected) where read != meant {
                promise(false, "\(writer.text)\nwas meant as \(meant)\nand read as   \(read)")
            }
        }
        promise(reading.responses.count == expected.count, "as many responses as written: \(writer.text)")
        promise(reading.quirks.seen.isEmpty, "\(writer.text)\nhas no quirks: \(reading.quirks.seen)")
        promise(reading.isEmpty, "nothing is left of \(writer.text)")
    }
    return 0
}
