import Accounts
import Crypto
import Foundation
import MIMEParser
import MailStore
import Models

/// Starts mails: new ones, replies and forwards, from options, templates and the original.
public struct Composing: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let lookup: MessageLookup
    let originals: OriginalReader
    let addresses: OwnAddresses
    let waits: DraftWaits
    let clock: SessionClock
    let zone: ZoneClock

    /// A new draft in memory. Saves nothing, sends nothing.
    public func compose(_ wish: MailWish) async throws -> OpenDraft {
        let original = try await original(of: wish)
        let chosen = try wish.account.map { try accounts.require(accounts.ids(named: $0)[0]) }
        let near = chosen ?? original?.account
        let typed = try wish.from.map { try writer($0, near) }
        var template = DraftText()
        if let name = wish.template {
            template = try self.template(name, account: typed?.0 ?? near)
        }
        let written = try typed ?? template.from.map { try addresses.writer($0, near: near) }
        let (account, from) =
            try written ?? writer(near, original?.stored, original?.account, isChosen: chosen != nil)
        try account.require(.draft)
        let messageID = MessageIDFactory.make(
            at: clock.now, random: RandomBytes.make(count: 16), domain: account.address.domain)
        let body = [wish.body, template.text].compactMap { $0?.isEmpty == false ? $0 : nil }.joined(
            separator: "\n")
        let signature = addresses.signature(writing: from, near: account)
        var builder: MessageBuilder
        var leftOut: [EmailAddress] = []
        if let original {
            var response = Response(
                to: original.message, from: from, ownAddresses: workspace.addresses, date: clock.now,
                messageID: messageID)
            response.zoneOffset = zone.offset(at:)
            builder =
                switch wish.purpose {
                case .replyAll: response.replyAll(body)
                case .forward: response.forwardInline(to: [], note: Self.note(body, above: signature))
                case .reply, .new: response.reply(body)
                }
            if case .replyAll = wish.purpose { leftOut = response.leftOut }
            if wish.leavesOutQuote { builder.text = body }
        } else {
            builder = MessageBuilder(
                from: from, to: [], subject: "", text: body, date: clock.now, messageID: messageID)
        }
        try fill(&builder, wish, template)
        var stored = StoredDraft(account: account.id, messageID: messageID, savedAt: clock.now, content: [])
        if case .forward = wish.purpose {
        } else {
            sign(&builder, signature)
            stored.answers = original?.stored.id
        }
        let wait = DraftWaits.clean(wish.wait ?? template.wait)
        if let wait { _ = try waits.date(wait) }
        var draft = OpenDraft(stored: stored, builder: builder, account: account, wait: wait)
        draft.leftOut = leftOut
        return draft
    }

    /// Applies the options and the template to the values from the original.
    private func fill(_ builder: inout MessageBuilder, _ wish: MailWish, _ template: DraftText) throws {
        builder.to += try wish.to.flatMap { try DraftText.addresses($0, field: "--to") } + template.to
        builder.cc += try wish.cc.flatMap { try DraftText.addresses($0, field: "--cc") } + template.cc
        builder.bcc += try wish.bcc.flatMap { try DraftText.addresses($0, field: "--bcc") } + template.bcc
        builder.replyTo += template.replyTo
        if let subject = wish.subject {
            builder.subject = subject
        } else if builder.subject.isEmpty {
            builder.subject = template.subject
        }
        let files = AttachedFiles.standard
        let paths =
            wish.attachments
            + template.attachments.compactMap { attachment in
                if case .file(let path, line: _) = attachment { path } else { nil }
            }
        var used = builder.files.reduce(0) { $0 + $1.bytes.count }
        try AttachedFiles.check(used, adding: "the original's files")
        for path in paths {
            let file = try files.read(path, used: used)
            used += file.bytes.count
            builder.files.append(file)
        }
    }

    /// Appended at the end, because programs that show or quote a mail cut off the text below the two dashes.
    private func sign(_ builder: inout MessageBuilder, _ signature: String?) {
        guard let signature else { return }
        let gap = builder.text.isEmpty ? "\n" : builder.text.hasSuffix("\n") ? "\n" : "\n\n"
        builder.text += gap + "-- \n" + signature + "\n"
    }

    /// The user's text above a forwarded message, with the signature. There it has no two dashes, because programs would
    /// hide the forwarded message below them.
    private static func note(_ body: String, above signature: String?) -> String {
        [withoutLastLineEnds(body), signature ?? ""].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func withoutLastLineEnds(_ text: String) -> String {
        var text = text[...]
        while text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        return String(text)
    }

    // MARK: Sender

    private func writer(_ typed: String, _ near: Account?) throws -> (Account, EmailAddress) {
        guard let from = try DraftText.addresses(typed, field: "--from").first else {
            throw Problem("bad-mail", exit: .badData, message: "--from names no address")
        }
        return try addresses.writer(from, near: near)
    }

    /// A reply is sent from the address to which the original was sent; if the user named the account, only from an
    /// address of that account.
    private func writer(
        _ near: Account?, _ original: StoredMessage?, _ own: Account?, isChosen: Bool
    ) throws -> (Account, EmailAddress) {
        guard let account = near ?? workspace.accounts.first else {
            throw Problem("no-account", exit: .configuration, message: "the workspace has no account")
        }
        if let original, account.id == own?.id {
            let reached = addresses.reached(original, account)
            if !isChosen || OwnAddressSet(account.addresses).contains(reached) { return (account, reached) }
        }
        return (account, addresses.named(account.address))
    }

    // MARK: Original

    private struct Original {
        var stored: StoredMessage
        var account: Account
        var message: ParsedMessage
    }

    private func original(of wish: MailWish) async throws -> Original? {
        let typed: String
        var isForward = false
        switch wish.purpose {
        case .new: return nil
        case .reply(let id), .replyAll(let id): typed = id
        case .forward(let id):
            typed = id
            isForward = true
        }
        let stored = try lookup.message(typed)
        let account = try accounts.require(stored.account)
        let needsAll = isForward ? stored.isTruncated || !stored.attachments.isEmpty : stored.isTruncated
        guard needsAll, !wish.leavesOutQuote else {
            return Original(stored: stored, account: account, message: stored.readable)
        }
        do {
            return Original(
                stored: stored, account: account,
                message: MIMEParser.parse(try await originals.bytes(ofTyped: typed)))
        } catch {
            var problem = Problem(error)
            problem.details.insert(
                "the text of the message has not been fetched yet and cannot be fetched now", at: 0)
            problem.next.append("--no-quote leaves out the original text")
            throw problem
        }
    }

    // MARK: Templates

    /// `templates/ACCOUNT/NAME.txt`, or otherwise `templates/NAME.txt`, beside `opus.yaml`.
    private func template(_ name: String, account: Account?) throws -> DraftText {
        let isName = !name.isEmpty && name.first != "." && !name.contains("/") && !name.contains("\0")
        let folder = workspace.root + "/templates/"
        let own = (account ?? workspace.accounts.first).map { folder + $0.id.rawValue + "/" }
        let paths = [own, folder].compactMap(\.self).map { $0 + name + ".txt" }
        guard isName, let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            let known = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let names = known.filter { $0.hasSuffix(".txt") }.map { $0.dropLast(4).description }.sorted()
            throw Problem(
                "no-such-template", exit: .notFound, message: "template \"\(name)\" not found",
                place: folder,
                next: names.isEmpty
                    ? ["write \(folder)\(name).txt"] : ["one of: " + names.joined(separator: ", ")])
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw Problem("bad-text", exit: .badData, message: "the template is not UTF-8 text", place: path)
        }
        let (draft, mistakes) = DraftText.readTemplate(text)
        guard mistakes.isEmpty else {
            throw Problem(
                "bad-template", exit: .badData, message: "the template cannot be read", place: path,
                details: mistakes.map(\.description))
        }
        return draft
    }
}
