/// A second connection to the account's mail while the body runs, if one is free.
public typealias SpareSource =
    @Sendable (_ body: @escaping @Sendable (any MailSource) async throws -> Void) async throws -> Void
