public import Models
public import Pipeline

/// `opus.run-detail/1`
public struct RunDetailDocument: Encodable, Sendable {
    var schema = "opus.run-detail/1"
    var run: RunsDocument.Item
    var steps: [RunDocument.StepItem]

    public init(
        _ run: RunLine, _ steps: [Step], _ undone: [Int64: RunID], along: [Int64: EmailID], zone: ZoneClock
    ) {
        self.run = RunsDocument.Item(run, zone: zone)
        self.steps = steps.map { step in
            var item = RunDocument.StepItem(step)
            item.attempts = step.attempts
            item.alongWith = step.id.flatMap { along[$0]?.shown }
            item.undoneBy = step.id.flatMap { undone[$0]?.description }
            return item
        }
    }
}
