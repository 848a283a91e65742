/// One thing that a server says. RFC 3501 §7.
///
///     response = *(continue-req / response-data) response-done
public enum Response: Equatable, Sendable {
    /// The end of a command, and how it ended.
    case tagged(CommandTag, StatusResponse)
    /// `+`: the server waits for the rest of a command.
    case continuation(text: String)
    /// Anything else, requested or not.
    case untagged(Untagged)
}
