public import Models

/// `opus.error/1`
public struct ErrorDocument: Encodable, Sendable {
    var schema = "opus.error/1"
    var code: String
    var exit: Int32
    var message: String
    var place: String?
    var details: [String]
    var next: [String]

    public init(_ problem: Problem) {
        code = problem.code
        exit = problem.exit.rawValue
        message = problem.message
        place = problem.place
        details = problem.details
        next = problem.next
    }
}
