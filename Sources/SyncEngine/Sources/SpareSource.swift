/// A second way to the account's mail for as long as the body runs: another connection, when one is free.
public typealias SpareSource =
    @Sendable (_ body: @escaping @Sendable (any MailSource) async throws -> Void) async throws -> Void
