/// Sets that only grow by union (union-find): by size, with path halving, without recursion.
struct DisjointSets {
    private var parents: [Int] = []
    private var sizes: [Int] = []

    /// Adds an element as a new set.
    mutating func add() -> Int {
        parents.append(parents.count)
        sizes.append(1)
        return parents.count - 1
    }

    /// The element that represents the set.
    mutating func root(of element: Int) -> Int {
        var current = element
        while parents[current] != current {
            parents[current] = parents[parents[current]]
            current = parents[current]
        }
        return current
    }

    mutating func join(_ a: Int, _ b: Int) {
        let (a, b) = (root(of: a), root(of: b))
        guard a != b else { return }
        let (large, small) = sizes[a] >= sizes[b] ? (a, b) : (b, a)
        parents[small] = large
        sizes[large] += sizes[small]
    }
}
