/// The flags or labels of one message while undo restores them, from the newest step of a run to the oldest.
struct MarkRestoration<Mark: Hashable> {
    /// The marks after the inverses so far.
    private var present: Set<Mark>
    /// Marks that another program has changed since the run. They stay as they are.
    private var changedSince: Set<Mark> = []

    init(_ present: Set<Mark>) { self.present = present }

    /// The inverse of a step that added and removed these marks.
    mutating func undo(added: Set<Mark>, removed: Set<Mark>) -> (add: Set<Mark>, remove: Set<Mark>) {
        changedSince.formUnion(removed.intersection(present))
        changedSince.formUnion(added.subtracting(present))
        let add = removed.subtracting(changedSince)
        let remove = added.subtracting(changedSince)
        present = present.union(add).subtracting(remove)
        return (add, remove)
    }
}
