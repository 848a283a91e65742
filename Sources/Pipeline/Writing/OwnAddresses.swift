import Accounts
import MIMEParser
import MailStore
import Models

/// The addresses that the user writes from.
struct OwnAddresses: Sendable {
    let workspace: Workspace

    /// The address with the name that its identity has, else with the name of the user.
    func named(_ address: EmailAddress) -> EmailAddress {
        let identity = workspace.accounts.lazy.compactMap { $0.identity(writing: address) }.first
        return EmailAddress(
            displayName: identity?.name ?? workspace.name, localPart: address.localPart,
            domain: address.domain)
    }

    /// The address at which a message reached the user, with the name of its identity: one in To or Cc, else the one that the
    /// servers delivered to. Of a mail of the user it is the writer's. An address of the account counts before the user's
    /// other ones; the account's own one is the last resort.
    func reached(_ message: StoredMessage, _ account: Account) -> EmailAddress {
        let written = message.to + message.cc
        let near = OwnAddressSet(account.addresses)
        let all = workspace.own(with: account)
        let found =
            message.from.first { all.contains($0) } ?? written.first { near.contains($0) } ?? written.first {
                all.contains($0)
            }
            ?? Self.delivered(message).first { all.contains($0) }
        // As opus.yaml spells it; a tag behind a plus stays.
        let spelled = (account.addresses + workspace.addresses).first { $0.comparable == found?.comparable }
        return named(spelled ?? found ?? account.address)
    }

    /// What the delivering servers wrote above the message, the last one first.
    private static func delivered(_ message: StoredMessage) -> [EmailAddress] {
        let header = MIMEParser.parse(message.headerBlock)
        return ["Delivered-To", "X-Original-To"].flatMap { header.rawHeader($0).prefix(8) }
            .flatMap { AddressList.read($0).prefix(1) }
    }

    /// The account that sends for an address; one that is not the user's is refused.
    func writer(_ from: EmailAddress) throws(Problem) -> (Account, EmailAddress) {
        let exact =
            workspace.accounts.first { $0.address.comparable == from.comparable }
            ?? workspace.accounts.first { OwnAddressSet($0.addresses).contains(from) }
        let isOwn = OwnAddressSet(workspace.addresses).contains(from)
        guard let account = exact ?? (isOwn ? workspace.accounts.first : nil) else {
            throw Problem(
                "not-your-address", exit: .badData, message: "\(from.addrSpec) is not one of your addresses",
                place: workspace.configFile,
                next: [
                    "one of: " + workspace.addresses.map(\.addrSpec).joined(separator: ", "),
                    "add it under me: { addresses: [ … ] }",
                ])
        }
        return (account, from.displayName.isEmpty ? named(from) : from)
    }
}

extension Account {
    /// The identity that writes from an address; one with a tag behind a plus belongs to the address without it.
    func identity(writing address: EmailAddress) -> Identity? {
        identity(address) ?? address.untagged.flatMap { identity($0) }
    }

    /// The text below mails from an address.
    func signature(writing address: EmailAddress) -> String? {
        identity(writing: address)?.signature ?? signature
    }
}

extension AccountAccess {
    /// The mailbox for the copies of mails from an address; nil: the account's Sent.
    func sentMailbox(_ from: EmailAddress, _ account: Account) throws -> Mailbox? {
        guard let name = account.identity(writing: from)?.sentMailbox else { return nil }
        var mailbox = try mailboxOrNew(name, of: account)
        // A server that files sent mail itself does so for each address.
        mailbox.role = .sent
        return mailbox
    }
}

extension Workspace {
    /// Everyone who counts as the user.
    func own(with account: Account) -> OwnAddressSet { OwnAddressSet(addresses + [account.address]) }
}
