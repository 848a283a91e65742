public import Models

/// The parts of a message that a tree of answers needs.
public struct TreeMessage: Hashable, Sendable {
    public var id: MessageID?
    public var inReplyTo: [MessageID]
    /// The oldest first.
    public var references: [MessageID]
    /// The base subject (RFC 5256 §2.1); empty: it joins nothing.
    public var baseSubject: String
    /// Whether the subject is marked as a reply or a forward.
    public var isReply: Bool
    /// When it was sent.
    public var date: Timestamp?

    public init(
        id: MessageID?, inReplyTo: [MessageID] = [], references: [MessageID] = [], baseSubject: String = "",
        isReply: Bool = false, date: Timestamp? = nil
    ) {
        self.id = id
        self.inReplyTo = inReplyTo
        self.references = references
        self.baseSubject = baseSubject
        self.isReply = isReply
        self.date = date
    }
}

/// One thread as a list of nodes. Each follows its parent, and the answers to a message follow it directly.
public struct ThreadTree: Hashable, Sendable {
    public struct Node: Hashable, Sendable {
        /// The index of the message; nil: it is missing.
        public var message: Int?
        /// The Message-ID of a missing message, if another message names it.
        public var id: MessageID?
        /// The index of the parent in the nodes of the thread; nil: the root.
        public var parent: Int?
        public var depth: Int
    }

    public var nodes: [Node]

    /// The thread in IMAP's notation, with numbers from 1: `(3 6 (4 23)(44 7 96))`. RFC 5256 §4.
    public var notation: String {
        var answers = [[Int]](repeating: [], count: nodes.count)
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent { answers[parent].append(index) }
        }
        enum Piece {
            case node(Int, isFirst: Bool)
            case text(String)
        }
        var text = ""
        var open: [Piece] = nodes.isEmpty ? [] : [.text(")"), .node(0, isFirst: true), .text("(")]
        while let piece = open.popLast() {
            switch piece {
            case .text(let word): text += word
            case .node(let index, let isFirst):
                if let message = nodes[index].message { text += (isFirst ? "" : " ") + "\(message + 1)" }
                let below = answers[index]
                if below.count == 1 {
                    open.append(.node(below[0], isFirst: nodes[index].message == nil && isFirst))
                } else if !below.isEmpty {
                    if nodes[index].message != nil { text += " " }
                    for answer in below.reversed() {
                        open += [.text(")"), .node(answer, isFirst: true), .text("(")]
                    }
                }
            }
        }
        return text
    }
}

/// Threads as trees of who answers whom: REFERENCES of RFC 5256 §3.
///
/// Names come from strangers: they may loop, contradict each other or be used twice. No link is made that closes a loop,
/// a missing message that holds several others together stays as a node without a message, and of two messages with
/// one Message-ID only the first has it. Nothing here calls itself, however deep a tree is.
public enum ReferenceTree {
    /// - Parameters:
    ///   - messages: in the order in which they are numbered.
    ///   - joinsSubjects: the last step of REFERENCES, which joins threads of one base subject.
    /// - Returns: by the date of their first messages.
    public static func threads(_ messages: [TreeMessage], joinsSubjects: Bool = true) -> [ThreadTree] {
        var forest = Forest(messages)
        forest.link()
        forest.prune()
        if joinsSubjects { forest.joinSubjects() }
        return forest.trees()
    }
}

private struct Forest {
    private let messages: [TreeMessage]
    /// The messages first, then the missing ones, which have only a name.
    private var parents: [Int?]
    private var children: [[Int]]
    private var names: [MessageID?]
    private var held: [MessageID: Int] = [:]
    private var roots: [Int] = []

    init(_ messages: [TreeMessage]) {
        self.messages = messages
        parents = Array(repeating: nil, count: messages.count)
        children = Array(repeating: [], count: messages.count)
        names = messages.map(\.id)
        for (index, message) in messages.enumerated() {
            if let id = message.id, held[id] == nil { held[id] = index }
        }
    }

    // MARK: Linking

    mutating func link() {
        for (index, message) in messages.enumerated() {
            let named = message.references.isEmpty ? Array(message.inReplyTo.prefix(1)) : message.references
            var last: Int?
            for id in named {
                let node = node(of: id)
                if let last, parents[node] == nil { join(node, under: last) }
                last = node
            }
            // What it says of itself wins over what others say.
            if let parent = parents[index], parent != last { cut(index, from: parent) }
            if let last, parents[index] == nil { join(index, under: last) }
        }
        roots = parents.indices.filter { parents[$0] == nil }
    }

    private mutating func node(of id: MessageID) -> Int {
        if let index = held[id] { return index }
        parents.append(nil)
        children.append([])
        names.append(id)
        held[id] = parents.count - 1
        return parents.count - 1
    }

    private mutating func join(_ child: Int, under parent: Int) {
        guard child != parent, !isAbove(child, parent) else { return }
        parents[child] = parent
        children[parent].append(child)
    }

    private mutating func cut(_ child: Int, from parent: Int) {
        children[parent].removeAll { $0 == child }
        parents[child] = nil
    }

    private func isAbove(_ node: Int, _ other: Int) -> Bool {
        guard !children[node].isEmpty else { return false }
        var current = parents[other]
        while let above = current {
            if above == node { return true }
            current = parents[above]
        }
        return false
    }

    private func isMissing(_ node: Int) -> Bool { node >= messages.count }

    // MARK: Missing messages

    /// One without answers goes; one with answers leaves its place to them, unless it is a root with several.
    mutating func prune() {
        for node in downwards().reversed() {
            children[node] = children[node].flatMap { isMissing($0) ? children[$0] : [$0] }
        }
        roots = roots.flatMap { root -> [Int] in
            isMissing(root) && children[root].count < 2 ? children[root] : [root]
        }
        for root in roots { parents[root] = nil }
        for node in downwards() { for child in children[node] { parents[child] = node } }
        sort()
    }

    /// Every node after its parent.
    private func downwards() -> [Int] {
        var order: [Int] = []
        var open = Array(roots.reversed())
        while let node = open.popLast() {
            order.append(node)
            open += children[node].reversed()
        }
        return order
    }

    // MARK: Order

    private mutating func sort() {
        var moments = [(Int64, Int)](repeating: (0, 0), count: parents.count)
        for node in downwards().reversed() {
            let earlier = { (a: Int, b: Int) in moments[a] < moments[b] }
            children[node].sort(by: earlier)
            // A missing message counts as the first that answers it.
            moments[node] =
                isMissing(node)
                ? children[node].first.map { moments[$0] } ?? (0, node)
                : (messages[node].date?.seconds ?? 0, node)
        }
        roots.sort { moments[$0] < moments[$1] }
    }

    // MARK: Subjects

    private func subject(_ root: Int) -> (text: String, isReply: Bool) {
        let first = isMissing(root) ? children[root].first : root
        guard let first, !isMissing(first) else { return ("", false) }
        return (messages[first].baseSubject.lowercased(), messages[first].isReply)
    }

    mutating func joinSubjects() {
        var table: [String: Int] = [:]
        for root in roots {
            let (text, isReply) = subject(root)
            guard !text.isEmpty else { continue }
            guard let other = table[text] else {
                table[text] = root
                continue
            }
            guard !isMissing(other) else { continue }
            if isMissing(root) || (subject(other).isReply && !isReply) { table[text] = root }
        }
        var gone: Set<Int> = []
        for root in roots {
            let (text, isReply) = subject(root)
            guard !text.isEmpty, let other = table[text], other != root else { continue }
            gone.insert(root)
            switch (isMissing(other), isMissing(root)) {
            case (true, true):
                for child in children[root] { parents[child] = other }
                children[other] += children[root]
                children[root] = []
            case (true, false):
                adopt(root, by: other)
            case (false, _) where isReply && !subject(other).isReply:
                adopt(root, by: other)
            case (false, _):
                let both = parents.count
                parents.append(nil)
                names.append(nil)
                children.append([])
                adopt(other, by: both)
                adopt(root, by: both)
                gone.insert(other)
                roots.append(both)
                table[text] = both
            }
        }
        roots.removeAll { gone.contains($0) }
        sort()
    }

    private mutating func adopt(_ child: Int, by parent: Int) {
        parents[child] = parent
        children[parent].append(child)
    }

    // MARK: Result

    func trees() -> [ThreadTree] {
        roots.map { root in
            var nodes: [ThreadTree.Node] = []
            var open: [(node: Int, parent: Int?, depth: Int)] = [(root, nil, 0)]
            while let (node, parent, depth) = open.popLast() {
                nodes.append(
                    ThreadTree.Node(
                        message: isMissing(node) ? nil : node, id: isMissing(node) ? names[node] : nil,
                        parent: parent, depth: depth))
                let here = nodes.count - 1
                for child in children[node].reversed() { open.append((child, here, depth + 1)) }
            }
            return ThreadTree(nodes: nodes)
        }
    }
}
