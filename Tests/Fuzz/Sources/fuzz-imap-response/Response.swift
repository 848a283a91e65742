// Any bytes as a server's: every response that is read is one that the rest of the program can live with.

import IMAPOracle
import IMAPProtocol
import NIOCore
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    for limits in [ResponseLimits.standard, tightLimits] {
        let whole = Reading(bytes, .whole, limits)
        promise(Reading(bytes, .sevens, limits) == whole, "responses do not depend on the cutting")
        let lost = whole.responses.count { if case .untagged(.unparsable) = $0 { true } else { false } }
        promise(lost == whole.unparsable, "skipped responses are counted")
        for response in whole.responses { check(response, size: bytes.count, limits) }
        checkListings(whole.responses)
    }
    checkStreamed(bytes)
    return 0
}

/// With its literals put back, a response that came in pieces is the response that came at once.
private func checkStreamed(_ bytes: [UInt8]) {
    let gathered = Reading(bytes, .whole, .standard).responses
    let reading = Reading(bytes, .uneven, .standard, streamingFrom: 0)
    promise(gathered.count == reading.responses.count, "streaming reads as many responses")
    for (index, response) in reading.responses.enumerated() {
        guard case .untagged(.fetch(var fetch)) = response,
            case .untagged(.fetch(let whole)) = gathered[index]
        else {
            continue
        }
        var literals = reading.streamed.filter { $0.response == index }[...]
        for place in fetch.sections.indices {
            guard case .omitted(let size) = fetch.sections[place].content else { continue }
            // A literal that could not be told from any other may belong to no section at all.
            let expected = place < whole.sections.count ? whole.sections[place].content : nil
            while let next = literals.first,
                next.total != size || !next.fits(fetch.sections[place]) || next.content != expected
            {
                literals.removeFirst()
            }
            guard let literal = literals.popFirst() else {
                return promise(false, "a section that was left out came in pieces")
            }
            fetch.sections[place].content = literal.content
        }
        promise(fetch == whole, "a streamed FETCH is the gathered one")
    }
}

extension StreamedLiteral {
    fileprivate var content: BodySection.Content { .bytes(ByteBuffer(bytes: octets)) }

    /// Where the response could be read up to the literal, the literal knows its section.
    fileprivate func fits(_ one: BodySection) -> Bool {
        sequenceNumber == 0 || (section == one.name && origin == one.origin)
    }
}

private func checkListings(_ responses: [Response]) {
    let listed = responses.compactMap { response -> ListResponse? in
        if case .untagged(.list(let one)) = response { one } else { nil }
    }
    let mailboxes = MailboxListing.listings(from: listed)
    let roles = mailboxes.compactMap(\.role)
    promise(Set(roles).count == roles.count, "a role is given once")
    promise(Set(mailboxes.map(\.name)).count == mailboxes.count, "a mailbox is listed once")
}
