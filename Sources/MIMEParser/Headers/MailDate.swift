public import Models

/// The `Date` field, in the forms of RFC 5322 §3.3 and §4.3 and those of real programs.
///
/// The weekday is ignored, two-digit years follow the RFC, missing seconds are zero, and zones may be names. A text
/// without day, month and year is not a date, and neither is `05/03/2026`, which is ambiguous.
public enum MailDate {
    public static func read(_ body: ArraySlice<UInt8>) -> Timestamp? { readWithOffset(body)?.time }

    public static func read(_ text: String) -> Timestamp? { read(Array(text.utf8)[...]) }

    /// The time, and the offset of its zone in seconds east of UTC; nil: the zone is missing or `-0000`, and the time
    /// is read as UTC. RFC 5322 §3.3, §4.3.
    public static func readWithOffset(
        _ body: ArraySlice<UInt8>
    ) -> (time: Timestamp, offsetSeconds: Int?)? {
        // No date is longer; a fold counts as a blank.
        let body = body.prefix(512)
        var reader = DateReader(DateReader.isReadable(body) ? body : normalised(body))
        return reader.read()
    }

    /// Replaces month names outside ASCII, and characters that only look like the blanks and signs of the RFC.
    private static func normalised(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var scalars = String.UnicodeScalarView()
        for scalar in EncodedWord.decode(body).lowercased().unicodeScalars {
            switch scalar.value {
            case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: scalars.append(" ")
            case 0x200B...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF: break
            case 0x2010...0x2013, 0x2212: scalars.append("-")
            case _: scalars.append(scalar)
            }
        }
        return Array(String(scalars).utf8)[...]
    }

    /// `Thu, 05 Mar 2026 10:00:00 +0100`. RFC 5322 §3.3.
    public static func write(_ time: Timestamp, offsetSeconds: Int = 0) -> String {
        let minutes = offsetSeconds / 60
        let local = LocalDateTime(secondsSinceEpoch: time.seconds + Int64(minutes * 60))
        let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(local.date.weekday - 1) % 7]
        let month = months[(local.date.month - 1) % 12]
        let zone = (minutes < 0 ? "-" : "+") + padded(abs(minutes) / 60, 2) + padded(abs(minutes) % 60, 2)
        return "\(weekday), \(padded(local.date.day, 2)) \(month) \(padded(local.date.year, 4)) "
            + "\(local.clock) \(zone)"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
