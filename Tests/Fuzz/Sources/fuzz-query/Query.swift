// Queries: read or refused with places inside the text; what was read prints as a query that reads back as the same.

import Models
import Oracle
import Rules
import RulesOracle
import YAMLSource

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: input(data, count), as: UTF8.self)
    switch Query.parse(text) {
    case .failure(let refusal):
        promise(
            !refusal.diagnostics.isEmpty && refusal.diagnostics.count <= 20, "findings are some and bounded")
        for finding in refusal.diagnostics {
            promise(
                finding.column >= 1 && finding.column <= text.count + 1, "a finding stands inside the text")
            promise(!finding.rendered().isEmpty, "a finding can be shown")
        }
    case .success(let query):
        _ = query.matches(sampleMail, in: sampleContext)
        _ = query.lookup
        let written = query.text
        guard written.count <= 9_000 else { return 0 }
        guard case .success(let again) = Query.parse(written) else {
            promise(false, "what was read is printed as a query: \(written)")
            return 0
        }
        promise(again.text == written, "printing is stable: \(written) | \(again.text)")
        promise(
            again.matches(sampleMail, in: sampleContext) == query.matches(sampleMail, in: sampleContext),
            "what is printed means the same: \(written)")
    }
    return 0
}
