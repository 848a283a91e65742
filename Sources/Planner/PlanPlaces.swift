public import Models

extension Plan {
    /// The indices of the items with a decision. In a large inbox these are few. An item is a large value, so
    /// reading all of them takes as long as deciding.
    public var decided: [Int] { items.indices.filter { !items[$0].decisions.isEmpty } }
}
