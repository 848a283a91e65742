// Date phrases: a date or none, in any zone, at any time; and the same one each time.

import Models
import Oracle
import Rules
import RulesOracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: input(data, count), as: UTF8.self)
    for zone in ["Europe/Paris", "America/St_Johns", "Pacific/Apia"] {
        // A day before clocks go forward, and a day in the far past.
        for now in [Timestamp(seconds: 1_774_735_200), Timestamp(seconds: -2_000_000_000)] {
            let date = DatePhrase.resolve(text, now: now, timeZone: zone, dayFirst: true)
            promise(
                date == DatePhrase.resolve(text, now: now, timeZone: zone, dayFirst: true),
                "dates do not change")
            guard let date, let time = DatePhrase.instant(of: date, timeZone: zone) else { continue }
            promise(abs(time.seconds) < 400_000_000_000, "a date is within ten thousand years: \(text)")
        }
    }
    return 0
}
