import MailStore
import Models

/// Steps that remove saved attachments: only unchanged files that no other mail needs.
struct FileRemovals: DrainPart {
    let context: DrainContext

    private var files: AttachmentFolder { context.files }

    func run(_ ledger: inout Ledger) throws {
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .removeFile(let path, let digest) = step.kind else { continue }
            try ledger.onDisk(step) { ledger in
                if try isShared(path, digest: digest, besides: step) {
                    return try ledger.confirm(step, proof: Step.Proof(.shared, path))
                }
                try ledger.issue([step])
                switch try files.remove(path, digest: digest, token: step.idempotencyKey) {
                case .removed: try ledger.confirm(step, proof: Step.Proof(.removed, path))
                case .gone: try ledger.confirm(step, proof: Step.Proof(.gone), wasDone: true)
                case .changed: try ledger.reject(step, because: "\(path) was changed since; it stays")
                }
            }
        }
    }

    /// Whether another step saved the same file and was not undone.
    private func isShared(_ path: String, digest: String, besides step: Step) throws -> Bool {
        try store.runs.savers(of: path).contains { saver in
            saver.row != step.undoes && saver.digest == digest && saver.undoneBy == nil
        }
    }
}
