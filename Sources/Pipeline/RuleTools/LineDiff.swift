import Models

/// The differences between two texts, in the format of `diff -u`.
public struct LineDiff: Sendable {
    private let old: [String]
    private let new: [String]

    private static let context = 3

    init(old: String, new: String) {
        self.old = Self.lines(old)
        self.new = Self.lines(new)
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.fileLines
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// A line of the old text, of the new text, or of both.
    private struct Line {
        var mark: Character
        var text: String
        var isChange: Bool { mark != " " }
    }

    /// Empty if nothing changed. A file that did not exist is `/dev/null`.
    func unified(from oldName: String, to newName: String) -> String {
        let all = merged()
        guard all.contains(where: \.isChange) else { return "" }
        var text = "--- \(oldName)\n+++ \(newName)\n"
        var index = 0
        while let first = all[index...].firstIndex(where: \.isChange) {
            let start = max(index, first - Self.context)
            var end = first
            // Nearby changes share one hunk.
            while let next = all[(end + 1)...].firstIndex(where: \.isChange), next - end <= 2 * Self.context {
                end = next
            }
            let stop = min(all.count, end + 1 + Self.context)
            text += hunk(all, start..<stop)
            index = stop
        }
        return text
    }

    private func hunk(_ all: [Line], _ range: Range<Int>) -> String {
        let before = all[..<range.lowerBound]
        let piece = all[range]
        let head = { (mark: Character) -> String in
            let start = before.count { $0.mark != mark }
            let count = piece.count { $0.mark != mark }
            return "\(count == 0 ? start : start + 1),\(count)"
        }
        return "@@ -\(head("+")) +\(head("-")) @@\n" + piece.map { "\($0.mark)\($0.text)\n" }.joined()
    }

    /// Both texts as one list of lines; removed lines are before the lines that replace them.
    private func merged() -> [Line] {
        let difference = new.difference(from: old)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, element: _, associatedWith: _): removed.insert(offset)
            case .insert(let offset, element: _, associatedWith: _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                lines.append(Line(mark: "-", text: old[left]))
                left += 1
            } else if right < new.count, inserted.contains(right) {
                lines.append(Line(mark: "+", text: new[right]))
                right += 1
            } else {
                lines.append(Line(mark: " ", text: old[left]))
                left += 1
                right += 1
            }
        }
        return lines
    }
}
