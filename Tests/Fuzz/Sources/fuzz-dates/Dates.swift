// Dates and message ids: plausible or none, and a date that we write is the date that we read.

import MIMEParser
import Models
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    if let time = MailDate.read(bytes[...]) { check(time) }
    for id in [MessageIDs.own(bytes[...])].compactMap(\.self) { check(id) }
    let references = MessageIDs.references(bytes[...])
    let answered = MessageIDs.inReplyTo(bytes[...])
    promise(references.count <= 1_000 && answered.count <= 1_000, "ids are bounded")
    for id in references + answered { check(id) }
    return 0
}

private func check(_ time: Timestamp) {
    // Year 0 to 9999, and a day for the zone.
    promise(time.seconds > -62_167_219_200 - 86_400, "a date is not before all years")
    promise(time.seconds < 253_402_300_800 + 86_400, "a date is not behind all years")
    guard time.seconds > -50_000_000_000, time.seconds < 253_402_000_000 else { return }
    for offset in [0, 3_600, -18_000, 20_700] {
        let written = MailDate.write(time, offsetSeconds: offset)
        promise(MailDate.read(written) == time, "the date is read as written: \(written)")
    }
}
