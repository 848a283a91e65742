import Foundation
public import Models

/// The progress of a review: saved after each answer, so that an interrupted review continues.
public struct ReviewState: Codable, Sendable {
    public struct Answer: Codable, Sendable {
        /// ``ReviewItem/key``; nil: the user added a task in between.
        public var key: String?
        public var section: ReviewItem.Section
        /// nil: the user added a task.
        public var choice: ReviewChoice?
        /// The run of the answer; nil: it has no run.
        public var run: String?
        /// What the journal cannot restore.
        var backup: ReviewBackup?
        /// Whether a step of the run was still to be done right after the answer. nil: it has no run.
        public var waits: Bool?

        /// Whether the answer changed something.
        public var isChange: Bool { run != nil || backup != nil }
    }

    private var schema = Self.name
    public var begun: Timestamp
    public var answers: [Answer] = []

    private static let name = "review/1"
    /// After this many seconds, a review starts from the beginning.
    private static let lifetime: Int64 = 7 * 86_400
    private static let mostBytes = 64 << 20

    init(begun: Timestamp) { self.begun = begun }

    /// The answered questions.
    public var decided: Set<String> { Set(answers.compactMap(\.key)) }

    /// The answers that changed something.
    public var changes: [Answer] { answers.filter(\.isChange) }

    // MARK: On disk

    static func path(_ storeFolder: String) -> String { storeFolder + "/review.json" }

    /// nil: there is none, or it is too old.
    static func load(_ storeFolder: String, now: Timestamp) -> ReviewState? {
        guard let data = FileManager.default.contents(atPath: path(storeFolder)), data.count < mostBytes,
            let state = try? JSONDecoder().decode(ReviewState.self, from: data), state.schema == name,
            abs(now - state.begun) < lifetime
        else { return nil }
        return state
    }

    func save(_ storeFolder: String) throws {
        try JSONEncoder().encode(self).write(
            to: URL(filePath: Self.path(storeFolder)), options: .atomic)
    }

    static func remove(_ storeFolder: String) {
        try? FileManager.default.removeItem(atPath: path(storeFolder))
    }
}
