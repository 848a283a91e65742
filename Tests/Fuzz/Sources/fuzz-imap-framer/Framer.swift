// Any bytes as a server's: the same responses come out however the bytes are cut, and so does every literal.

import IMAPOracle
import IMAPProtocol
import NIOCore
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    for limits in [ResponseLimits.standard, tightLimits] {
        let whole = Framing(bytes, .whole, limits)
        promise(whole.frames.count <= bytes.count, "frames are no more than the bytes they came from")
        for pieces in Pieces.allCases {
            promise(Framing(bytes, pieces, limits) == whole, "frames do not depend on the cutting: \(pieces)")
        }
        checkStreaming(bytes, limits)
    }
    return 0
}

/// Literals that are handed out as they come end where the gathered ones do.
private func checkStreaming(_ bytes: [UInt8], _ limits: ResponseLimits) {
    let gathered = Framing(bytes, .whole, limits)
    let streamed = Reading(bytes, .whole, limits, streamingFrom: 0)
    promise(streamed.responses.count == gathered.frames.count, "streaming cuts the same responses")
    promise(streamed.ending == gathered.ending, "streaming ends where gathering does")
    for pieces in Pieces.allCases {
        let other = Reading(bytes, pieces, limits, streamingFrom: 0)
        promise(other == streamed, "streamed literals do not depend on the cutting: \(pieces)")
    }
}
