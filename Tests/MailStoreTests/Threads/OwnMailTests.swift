import Models
import TestSupport
import Testing

@testable import MailStore

/// The user's own mail: the mail in Sent, whatever From says.
@Suite struct OwnMailTests {
    @Test("the recipients in To, Cc and Bcc count, each also without its tag")
    func recipients() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.saveUsualMailboxes()
        func mail(_ name: String, uid: UInt32, to address: EmailAddress) -> NewMessage {
            var message = newMessage(name, uid: uid, received: 100)
            message.thread = ThreadID(rawValue: "t")
            message.to = [address]
            return message
        }
        var own = mail("own", uid: 1, to: EmailAddress(localPart: "Bob+x", domain: "y.example"))
        own.cc = [EmailAddress(localPart: "cc", domain: "y.example")]
        own.bcc = [EmailAddress(localPart: "bcc", domain: "y.example")]
        _ = try store.sync.apply(batch(MailboxName("Sent"), added: [own]))
        _ = try store.sync.apply(
            batch(added: [mail("other", uid: 2, to: EmailAddress(localPart: "eve", domain: "y.example"))]))
        let found = try store.threads.ownMail(in: [ThreadID(rawValue: "t")], account: work)
        #expect(found.messages == [id("own")])
        #expect(
            found.recipients == [
                ThreadID(rawValue: "t"): [
                    "bob+x@y.example", "bob@y.example", "cc@y.example", "bcc@y.example",
                ]
            ])
        #expect(try store.threads.ownMail(in: [], account: work).messages.isEmpty)
    }

    @Test("the last decision about a message tells whether the user deferred it")
    func decisions() {
        for (cause, isByHand) in [
            (.hand("defer"), true), (.hand("bundle"), false), (.rule("news"), false), (.deferral, true),
            (.undo, nil),
        ] as [(Step.Cause, Bool?)] {
            #expect(DeferralDecision(cause: cause, began: time(1)).isByHand == isByHand, "\(cause)")
        }
    }
}
