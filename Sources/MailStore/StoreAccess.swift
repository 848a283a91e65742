/// What a store is opened for.
public enum StoreAccess: Sendable {
    /// Reads without waiting for other processes. A connection for writing is opened when it is needed.
    case reading
    case writing
}
