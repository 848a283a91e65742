/// Provides a second connection to the account while the body runs, if one is available.
public typealias SpareSource =
    @Sendable (_ body: @escaping @Sendable (any MailSource) async throws -> Void) async throws -> Void
