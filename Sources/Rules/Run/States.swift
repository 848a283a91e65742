import Models

/// The yes-or-no facts of a message, of its conversation and of its tasks.
extension FactsView {
    func holds(_ state: State) -> Truth {
        switch state {
        case .unread: Truth(!facts.flags.contains(.seen))
        case .read: Truth(facts.flags.contains(.seen))
        case .flagged: Truth(facts.flags.contains(.flagged))
        case .answered: Truth(facts.flags.contains(.answered))
        case .draft: Truth(facts.flags.contains(.draft))
        case .duplicate: context.earlierCopies.map { Truth($0[facts.id] != nil) } ?? .unknown
        case .bulk: Truth(isBulk)
        case .bounce: Truth(isBounce)
        case .invite: Truth(isInvite)
        case .receipt: Truth(isReceipt)
        case .signed: Truth(isSigned)
        case .encrypted: Truth(isEncrypted)
        case .signedValid: Truth(facts.signature?.outcome == .valid)
        case .signedBroken: Truth(facts.signature?.outcome == .broken)
        case .hasAttachment: Truth(facts.attachments.contains { !$0.isInline })
        case .hasPDF:
            Truth(
                facts.attachments.contains {
                    $0.contentType == "application/pdf" || $0.name.lowercased().hasSuffix(".pdf")
                })
        case .hasOpenTask: Truth(!facts.openTodos.isEmpty)
        case .threadUnanswered: conversation.isUnanswered.map { Truth($0) } ?? .unknown
        case .threadReplied: conversation.hasOwn.map { Truth($0) } ?? .unknown
        case .threadWaiting: conversation.isWaiting.map { Truth($0) } ?? .unknown
        case .taskWaiting: Truth(todos.contains { $0.list == .waiting && hasBegun($0) })
        case .taskOverdue: Truth(todos.contains { isOverdue($0) })
        case .firstSeen: senderCount.map { Truth($0 <= 1) } ?? .unknown
        }
    }

    // MARK: What a program wrote

    var isBulk: Bool {
        if !header("list-id").isEmpty || !header("list-unsubscribe").isEmpty { return true }
        return foldedHeader("precedence").contains { ["bulk", "list", "junk"].contains($0.string) }
    }

    var isBounce: Bool {
        let senders = facts.from.map { $0.localPart.lowercased() }
        if senders.contains("mailer-daemon") { return true }
        if header("return-path").contains(where: { $0.trimmingBlanks() == "<>" }) { return !isReceipt }
        if facts.attachments.contains(where: { $0.contentType == "message/delivery-status" }) { return true }
        return foldedHeader("content-type").contains {
            $0.string.hasPrefix("multipart/report") && $0.string.contains("delivery-status")
        }
    }

    var isInvite: Bool {
        facts.attachments.contains {
            $0.contentType == "text/calendar" || $0.contentType == "application/ics"
                || $0.name.lowercased().hasSuffix(".ics")
        } || foldedHeader("content-type").contains { $0.string.hasPrefix("text/calendar") }
    }

    /// A disposition notification. RFC 8098 §3.
    var isReceipt: Bool {
        hasType { $0.hasPrefix("message/disposition-notification") }
            || foldedHeader("content-type").contains {
                $0.string.hasPrefix("multipart/report") && $0.string.contains("disposition-notification")
            }
    }

    /// Somebody signed it; whether the signature is good `signed:valid` asks. RFC 1847 §2.1, RFC 8551 §3.5.
    var isSigned: Bool {
        hasType { type in
            type.hasPrefix("multipart/signed") || Self.signatures.contains { type.hasPrefix($0) }
                || (type.contains("pkcs7-mime") && type.contains("signed-data"))
        }
    }

    /// RFC 1847 §2.2, RFC 8551 §3.3.
    var isEncrypted: Bool {
        hasType {
            $0.hasPrefix("multipart/encrypted") || $0.hasPrefix("application/pgp-encrypted")
                || ($0.contains("pkcs7-mime") && !$0.contains("signed-data") && !$0.contains("certs-only"))
        }
    }

    private static let signatures = [
        "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
    ]

    /// Of the message or of a part that is shown as a file.
    private func hasType(_ isWanted: (String) -> Bool) -> Bool {
        foldedHeader("content-type").contains { isWanted($0.string) }
            || facts.attachments.contains { isWanted($0.contentType) }
    }

    // MARK: Tasks

    /// Since when each task that waits for somebody waits. What this message answers waits no more.
    var waits: [Timestamp] {
        todos.filter { $0.list == .waiting && hasBegun($0) && !isAnswer(to: $0) }.compactMap {
            context.waitsSince[$0.id] ?? $0.created
        }
    }

    /// Whether anything is waited for: a mail that was not sent yet is answered by nobody.
    private func hasBegun(_ todo: Todo) -> Bool {
        guard let since = context.waitsSince[todo.id] else { return true }
        return since != nil
    }

    /// Whether the message came after the wait began, from whom it waits for.
    private func isAnswer(to todo: Todo) -> Bool {
        guard let created = todo.created, facts.received > created else { return false }
        guard let on = (todo.waitingOn ?? todo.contact)?.folded else { return false }
        return from.contains { !me.contains($0.addrSpec) && on.contains($0.addrSpec.string) }
    }

    /// A day is over at its end, in the zone of the rules.
    private func isOverdue(_ todo: Todo) -> Bool {
        switch todo.due {
        case .date(let day): day < zone.local(context.now).date
        case .instant(let time): time < context.now
        case .local(let reading, zone: let name):
            (name.flatMap { Zone($0) } ?? zone).instant(reading) < context.now
        case nil: false
        }
    }

    // MARK: Senders

    /// Messages of the writer that the account holds, this one among them; nil when nobody counted.
    var senderCount: Int? {
        guard let writer = facts.from.first else { return 0 }
        if let rank = context.writerRanks?[facts.id] { return rank }
        guard let arrivals = context.senderArrivals else { return context.senderCounts[writer.comparable] }
        return arrivals[writer.comparable]?.count { $0 <= context.now }
    }
}
