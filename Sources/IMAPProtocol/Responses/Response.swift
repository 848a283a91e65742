/// One response of a server. RFC 3501 §7.
///
///     response = *(continue-req / response-data) response-done
public enum Response: Equatable, Sendable {
    /// The end of a command, with its result.
    case tagged(CommandTag, StatusResponse)
    /// `+`: the server waits for the rest of a command.
    case continuation(text: String)
    /// Anything else, requested or not.
    case untagged(Untagged)
}
