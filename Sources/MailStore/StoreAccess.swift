/// What a store is opened for.
public enum StoreAccess: Sendable {
    /// Waits for no other process. A connection that writes is opened when it is needed.
    case reading
    case writing
}
