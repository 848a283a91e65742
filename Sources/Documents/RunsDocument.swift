import Models
public import Pipeline

/// `opus.runs/1`
public struct RunsDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var id: String
        var account: String
        /// Only if the run worked on several accounts.
        var accounts: [String]?
        var started: String
        var command: String
        var confirmed: Int
        var open: Int
        var failed: Int
        /// The run that it undid.
        var undoes: String?

        init(_ run: RunLine, zone: ZoneClock) {
            id = run.id.description
            let names = run.accounts.map(\.rawValue)
            account = names.first ?? ""
            accounts = names.count > 1 ? names : nil
            started = zone.rfc3339(run.started)
            command = run.command
            confirmed = run.confirmed
            open = run.open
            failed = run.failed
            undoes = run.undoes?.description
        }
    }

    var schema = "opus.runs/1"
    var items: [Item]

    public init(_ runs: [RunLine], zone: ZoneClock) { items = runs.map { Item($0, zone: zone) } }
}
