import Models
public import Pipeline

/// `opus.doctor/1`
public struct DoctorDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var what: String
        var good: Bool
        /// good, attention, bad or skipped
        var state: String
        var words: String
        var next: String?
    }

    var schema = "opus.doctor/1"
    var items: [Item]
    /// The next step.
    var next: String

    public init(_ diagnosis: Diagnosis) {
        items = diagnosis.findings.map {
            Item(
                what: $0.what, good: $0.isGood, state: $0.state.rawValue, words: $0.words, next: $0.next)
        }
        next = diagnosis.next
    }
}
