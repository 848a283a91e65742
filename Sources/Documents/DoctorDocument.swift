import Models
public import Pipeline

/// `opus.doctor/1`
public struct DoctorDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var what: String
        var good: Bool
        var words: String
        var next: String?
    }

    var schema = "opus.doctor/1"
    var items: [Item]

    public init(_ findings: [Finding]) {
        items = findings.map { Item(what: $0.what, good: $0.isGood, words: $0.words, next: $0.next) }
    }
}
