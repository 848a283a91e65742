import MIMEParser
import MailStore
import Models

/// Looking before acting: where each step's message stands now, and whether it is still the planned one.
///
/// A UID names a place. It is believed only together with the header block that stands there.
extension Drain {
    /// Finds the place of each step's message now, and reads the header there: UIDs are believed only together
    /// with the message they are supposed to name.
    func lookAt(
        _ members: [PlacedStep], in mailbox: MailboxName
    ) async throws(SinkError) -> [Aimed] {
        guard let uidValidity = try await sink.open(mailbox) else {
            throw .unsupported("there is no mailbox \(mailbox)")
        }
        let known = try knownPlaces(mailbox)
        let aims = members.map { member in
            Aim(member: member, target: target(of: member, uidValidity, known))
        }
        let sightings = try await sink.look(at: aims.compactMap(\.target), in: mailbox)
        var looked: [Aimed] = []
        for aim in aims {
            looked.append(try aimed(aim, sightings))
        }
        return looked
    }

    private func knownPlaces(_ mailbox: MailboxName) throws(SinkError) -> [EmailID: [Placement]] {
        do {
            return Dictionary(grouping: try store.placements(of: account, mailbox: mailbox), by: \.message)
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    private func target(
        of member: PlacedStep, _ uidValidity: UInt32, _ known: [EmailID: [Placement]]
    ) -> Target? {
        let places = member.step.message.flatMap { known[$0] } ?? []
        let exact = places.first { $0.uid == member.key.uid }
        guard let place = member.key.uidValidity == uidValidity ? exact ?? places.first : places.first else {
            return member.key.uidValidity == uidValidity ? Target(uid: member.key.uid) : nil
        }
        return Target(uid: place.uid, remoteName: place.remoteName)
    }

    private func aimed(_ aim: Aim, _ sightings: [UInt32: Sighting]) throws(SinkError) -> Aimed {
        let step = aim.member.step
        var detail: StoredMessage?
        do {
            if let message = step.message { detail = try store.detail(of: message) }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        let header = detail.map { canonical($0.headerBlock) } ?? []
        let sighting = aim.target.flatMap { sightings[$0.uid] }
        let view: View
        if let sighting {
            let isIt = detail == nil || canonical(sighting.header) == header
            view = isIt || SeededBug.moveWithoutHeaderCheck.isOn ? .there(sighting) : .another
        } else {
            view = .gone
        }
        return Aimed(
            step: step, target: aim.target ?? Target(uid: 0), view: view, header: header,
            messageID: detail?.messageID, remoteID: detail?.remoteID, received: detail?.received,
            size: detail?.size)
    }

    func canonical(_ header: [UInt8]) -> [UInt8] { HeaderBlock.canonical(header) }
}

/// A step on a message, and the place it was planned for.
struct PlacedStep {
    let step: Step
    let key: MessageKey
}

struct Aim {
    let member: PlacedStep
    let target: Target?
}

enum View {
    case there(Sighting)
    case gone
    case another
}

/// A step whose message was looked at.
struct Aimed {
    let step: Step
    let target: Target
    let view: View
    let header: [UInt8]
    let messageID: MessageID?
    let remoteID: String?
    /// As the store has them: what tells two messages with the same header apart.
    let received: Timestamp?
    let size: Int?
}
