import Models

/// How failures of the account and of the disk affect steps.
extension Ledger {
    /// Records a refusal or a lost connection for steps that were issued, or were about to be.
    mutating func fail(_ steps: [Step], _ error: SinkError) throws {
        try together { ledger in
            for step in steps {
                switch error {
                case .refused(let words), .refusedSome(let words): try ledger.postpone(step, because: words)
                case .busy(let words):
                    try ledger.wait(step, because: words, until: Backoff.afterBusy(ledger.now))
                case .unsupported(let words): try ledger.rejectForGood(step, because: words)
                case .lost(let reason):
                    try ledger.loseTrack(of: step, because: reason, isAlone: steps.count == 1)
                }
            }
        }
        if case .lost(let reason) = error { throw Interruption(reason: reason) }
    }

    /// The account did not return the message of a step, so nothing is known about it.
    mutating func waitForMessage(of step: Step) throws {
        try wait(step, because: View.notReturned, until: Backoff.afterBusy(now))
    }

    /// Records results together in a body with typed throws. If the store fails, the result counts as lost,
    /// and the next drain determines it.
    mutating func settle(_ body: (inout Ledger) throws -> Void) throws(SinkError) {
        do {
            try together(body)
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    mutating func onDisk(_ step: Step, _ body: (inout Ledger) throws -> Void) throws {
        do {
            try body(&self)
        } catch let error as AttachmentError {
            if error.isFinal {
                try reject(step, because: error.description)
            } else {
                try postpone(step, because: error.description, isOnOwnDisk: true)
            }
        }
    }
}
