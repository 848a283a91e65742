/// Sets that only ever grow together (union-find): by size, with halved paths, without recursion.
struct DisjointSets {
    private var parents: [Int] = []
    private var sizes: [Int] = []

    /// A new element in a set of its own.
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
