// HTML to text, and HTML made safe: bounded, without controls, nothing but what is allowed, and safe HTML stays
// as it is.

import MIMEParser
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let html = String(decoding: input(data, count), as: UTF8.self)
    let text = HTMLText.convert(html)
    promise(!text.hasControls, "text of HTML has no control characters: \(text.debugDescription.prefix(500))")
    promise(text.utf8.count <= MIMELimits.standard.text, "text of HTML is bounded, not \(text.utf8.count)")
    let short = HTMLText.convert(html, limit: 64)
    promise(short.utf8.count <= 64, "text of HTML is at most as long as asked for, not \(short.utf8.count)")

    let safe = SanitizedHTML(html)
    checkSafe(safe)
    guard !safe.isTextOnly else { return 0 }
    let again = SanitizedHTML(safe.html)
    promise(again.html == safe.html, "safe HTML stays as it is: \(safe.html.debugDescription.prefix(500))")
    promise(again.removedRemote == 0, "safe HTML fetches nothing")
    promise(again.contentIDs == safe.contentIDs, "safe HTML keeps its images")
    return 0
}
