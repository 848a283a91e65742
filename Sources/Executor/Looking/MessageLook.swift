import MIMEParser
import MailStore
import Models

/// The check before a change: where the message of each step is now, and whether it is still the planned one.
///
/// A UID is trusted only together with the header block of the message that has it now.
struct MessageLook: DrainPart {
    let context: DrainContext

    /// Finds the current place of each step's message, and compares the header there with the stored one.
    func look(
        at members: [PlacedStep], in mailbox: MailboxName
    ) async throws(SinkError) -> [Aimed] {
        guard let uidValidity = try await sink.openForLook(mailbox) else {
            throw .unsupported("mailbox \(mailbox) does not exist")
        }
        let anchors = try anchors(of: members.compactMap(\.step.message), in: mailbox)
        let aims = members.map { member in
            let anchor = member.step.message.flatMap { anchors[$0] }
            return Aim(
                member: member, anchor: anchor,
                target: target(of: member.key, uidValidity, anchor?.places ?? []))
        }
        let sightings = try await sink.look(at: aims.compactMap(\.target), in: mailbox)
        var looked: [Aimed] = []
        looked.reserveCapacity(aims.count)
        for aim in aims { looked.append(try await aimed(aim, sightings, in: mailbox)) }
        if looked.contains(where: { $0.view.isAnother }) { try doubt(mailbox) }
        return looked
    }

    private func anchors(
        of messages: [EmailID], in mailbox: MailboxName
    ) throws(SinkError) -> [EmailID: MessageAnchor] {
        do {
            return try store.messages.anchors(of: messages, in: mailbox, account: account)
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    private func target(
        of key: MessageKey, _ uidValidity: UInt32, _ places: [Target]
    ) -> Target? {
        let exact = places.first { $0.uid == key.uid }
        guard let place = key.uidValidity == uidValidity ? exact ?? places.first : places.first else {
            return key.uidValidity == uidValidity ? Target(uid: key.uid) : nil
        }
        return place
    }

    private func aimed(
        _ aim: Aim, _ sightings: [UInt32: Sighting], in mailbox: MailboxName
    ) async throws(SinkError) -> Aimed {
        let anchor = aim.anchor
        let sighting = aim.target.flatMap { sightings[$0.uid] }
        let view: View
        if let sighting, !sighting.isReadable {
            view = .unreadable
        } else if let sighting, let target = aim.target {
            let isIt = try await isSame(sighting, anchor, target, in: mailbox)
            view = isIt ? .there(sighting) : .another
        } else {
            view = .gone
        }
        return Aimed(
            step: aim.member.step, target: aim.target ?? Target(uid: 0), view: view,
            headerBlock: anchor?.headerBlock ?? [], messageID: anchor?.messageID, remoteID: anchor?.remoteID,
            received: anchor?.received,
            size: anchor?.size)
    }

    /// If the store no longer has the message, its place is trusted.
    private func isSame(
        _ sighting: Sighting, _ anchor: MessageAnchor?, _ target: Target, in mailbox: MailboxName
    ) async throws(SinkError) -> Bool {
        guard let anchor else { return true }
        switch SameMessage(known: anchor).judge(sighting) {
        case .yes: return true
        case .no: return false
        case .asksBody:
            let bytes = try await sink.content(of: target, in: mailbox, limit: Self.comparedBytes)
            return SameMessage.hasBody(anchor.body, bytes)
        }
    }

    /// Makes the next sync compare the mailbox with the store.
    private func doubt(_ mailbox: MailboxName) throws(SinkError) {
        do {
            try store.sync.doubt(mailbox, of: account)
        } catch {
            throw .lost("the store could not be written: \(error)")
        }
    }

    /// The maximum size of a message that is compared, in bytes. Messages whose whole body is known are shorter.
    private static let comparedBytes = 50 << 20
}

private struct Aim {
    let member: PlacedStep
    /// nil: the message is not in the store.
    let anchor: MessageAnchor?
    let target: Target?
}
