public import Models

/// `opus.service-log/1`: a line of the log, one document on each line.
public struct ServiceLogDocument: Encodable, Sendable {
    var schema = "opus.service-log/1"
    var time: Timestamp?
    /// `error`, `warning`, `notice`, `info`
    var level: String
    var message: String

    /// `priority`: a number of syslog(3).
    public init(time: Timestamp?, priority: Int, message: String) {
        self.time = time
        self.message = message
        level =
            switch priority {
            case ...3: "error"
            case 4: "warning"
            case 5: "notice"
            case _: "info"
            }
    }
}
