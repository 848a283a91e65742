public import Models

/// A program that does not support UIDs (calcurse) changes a task by deleting its file and writing another
/// one. The new file takes over the mail of the old one if both name the same mail.
public struct TodoSuccession: Hashable, Sendable {
    /// An open task whose file vanished and whose mail is known.
    public struct Vanished: Hashable, Sendable {
        public var id: TodoID
        public var message: EmailID
        /// nil: the file vanished before this scan.
        public var summary: String?

        public init(id: TodoID, message: EmailID, summary: String?) {
            self.id = id
            self.message = message
            self.summary = summary
        }
    }

    public var old: TodoID
    public var new: Todo

    /// Finds the file that continues each task.
    ///
    /// - Parameters:
    ///   - vanished: Tasks that opus or the user had linked to their mail.
    ///   - appeared: Files without a link, with the message that each of them names.
    /// - Returns: Pairs; each task and each file is in at most one. If there are several candidates, the one
    ///   with the same title is used; otherwise they stay unpaired.
    public static func pairs(
        vanished: [Vanished], appeared: [(todo: Todo, message: EmailID)]
    ) -> [TodoSuccession] {
        var pairs: [TodoSuccession] = []
        let candidates = Dictionary(grouping: appeared, by: \.message)
        for (message, olds) in Dictionary(grouping: vanished, by: \.message).sorted(by: { $0.key < $1.key }) {
            var olds = olds
            var news = (candidates[message] ?? []).map(\.todo)
            for old in olds {
                let same = news.filter { $0.summary == old.summary }
                guard same.count == 1, olds.count(where: { $0.summary == old.summary }) == 1 else { continue }
                pairs.append(TodoSuccession(old: old.id, new: same[0]))
                olds.removeAll { $0.id == old.id }
                news.removeAll { $0.id == same[0].id }
            }
            if olds.count == 1, news.count == 1 {
                pairs.append(TodoSuccession(old: olds[0].id, new: news[0]))
            }
        }
        return pairs
    }

    /// The changes of a scan, with each pair treated as one task: the new file is a change of the old one.
    public static func rewrite(_ changes: [TodoChange], _ pairs: [TodoSuccession]) -> [TodoChange] {
        let olds = Set(pairs.map(\.old))
        let news = Set(pairs.map(\.new.id))
        var rewritten = changes.filter { change in
            switch change {
            case .added(let todo): !news.contains(todo.id)
            case .deleted(let todo, wasOpen: _): !olds.contains(todo.id)
            case .completed, .reopened, .cancelled, .startChanged, .movedList, .edited: true
            }
        }
        for pair in pairs {
            if pair.new.isCompleted, pair.new.status != .cancelled {
                rewritten.append(.completed(pair.new))
            } else if pair.new.status == .cancelled {
                rewritten.append(.cancelled(pair.new))
            } else {
                rewritten.append(.edited(pair.new))
            }
        }
        return rewritten
    }
}
