/// The purpose for which a store is opened.
public enum StoreAccess: Sendable {
    /// Reads without waiting for other processes. The first write opens a connection for writing.
    case reading
    case writing
}
