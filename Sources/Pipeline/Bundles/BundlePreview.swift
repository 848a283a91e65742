public import Models

/// Mail of one bundle that would wait for the next delivery: what a dry run shows of the schedule.
public struct BundlePreview: Sendable {
    public var account: AccountID
    public var names: BundleNames
    public var messages: [EmailID]
    public var until: DeferredUntil
}
