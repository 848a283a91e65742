public import Models

extension Plan {
    /// The places of the items about which a rule decided something. Of a large inbox these are few, and most checks of a plan
    /// need no others: an item is large, so looking at all of them costs as much as deciding.
    public var decided: [Int] { items.indices.filter { !items[$0].decisions.isEmpty } }
}
