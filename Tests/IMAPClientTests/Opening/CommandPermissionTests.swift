import IMAPProtocol
import Models
import Testing

@testable import IMAPClient

/// The gate at the wire: which command needs what.
@Suite struct CommandPermissionTests {
    private static let uids = UIDSet([7])
    private static let changing: [(command: Command, needs: Permission)] = [
        (.create(Array("A".utf8)), .create),
        (.subscribe(Array("A".utf8)), .create),
        (.uidStore(uids, .add(["\\Seen"])), .mark),
        (.uidStore(uids, .remove(["\\Deleted"])), .mark),
        (.uidStore(uids, .add(["\\DELETED"])), .delete),
        (.uidStoreLabels(uids, .remove([Array("\\Inbox".utf8)])), .move),
        (.uidMove(uids, to: Array("A".utf8)), .move),
        (.uidCopy(uids, to: Array("A".utf8)), .move),
        (.uidExpunge(uids), .delete),
    ]

    @Test func withReadNoChangingCommandMayBeSent() {
        for (command, needs) in Self.changing {
            #expect(command.missing(in: Permissions(.read)) == needs, "\(command.name)")
        }
        #expect(Command.select(SelectRequest([65], readOnly: false)).missing(in: Permissions(.read)) != nil)
        #expect(Command.select(SelectRequest([65], readOnly: true)).missing(in: Permissions(.read)) == nil)
    }

    @Test func eachCommandNeedsItsPermissionAndNoOther() {
        for (command, needs) in Self.changing {
            for permission in Permission.allCases {
                let missing = command.missing(in: Permissions([permission]))
                #expect((missing == nil) == (permission == needs), "\(command.name) with \(permission)")
            }
        }
    }

    @Test func lookingNeedsNothing() {
        let looks: [Command] = [
            .capability, .noop, .logout, .list(.plain), .status([65], [.messages]), .idle,
            .uidSearch(.uids(Self.uids), extended: false),
        ]
        for command in looks { #expect(command.missing(in: Permissions(.read)) == nil, "\(command.name)") }
    }

    @Test func fullAllowsEverything() {
        for (command, _) in Self.changing { #expect(command.missing(in: .full) == nil) }
    }
}
