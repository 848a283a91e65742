// Any bytes as a message: the tree, the contents, the text, the attachments, the fields.

import MIMEParser
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    check(MIMEParser.parse(bytes), limits: .standard)
    check(MIMEParser.parse(bytes, limits: tight), limits: tight)
    return 0
}

/// Limits that a small input reaches.
private let tight: MIMELimits = {
    var limits = MIMELimits()
    limits.depth = 4
    limits.parts = 8
    limits.headerBlock = 512
    limits.headerField = 128
    limits.headerFields = 8
    limits.parameters = 4
    limits.encodedWords = 4
    limits.text = 256
    return limits
}()
