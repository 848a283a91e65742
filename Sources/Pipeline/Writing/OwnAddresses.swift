import Accounts
import MIMEParser
import MailStore
import Models

/// The addresses from which the user writes.
struct OwnAddresses: Sendable {
    let workspace: Workspace

    /// The address with the name of its identity, or otherwise with the user's name.
    func named(_ address: EmailAddress) -> EmailAddress {
        let identity = workspace.accounts.lazy.compactMap { $0.identity(writing: address) }.first
        return EmailAddress(
            displayName: identity?.name ?? workspace.name, localPart: address.localPart,
            domain: address.domain)
    }

    /// The address at which a message reached the user, with the name of its identity: an address in To or
    /// Cc, otherwise the address to which the servers delivered it. For mail by the user, it is the writer's.
    /// Addresses of the account have precedence over the user's other addresses; the default is the account's
    /// own address.
    func reached(_ message: StoredMessage, _ account: Account) -> EmailAddress {
        let written = message.to + message.cc
        let near = OwnAddressSet(account.addresses)
        let all = workspace.own(with: account)
        let found =
            message.from.first { all.contains($0) } ?? written.first { near.contains($0) } ?? written.first {
                all.contains($0)
            }
            ?? Self.delivered(message).first { all.contains($0) }
        // As written in opus.yaml; a tag after a plus sign is kept.
        let spelled = (account.addresses + workspace.addresses).first { $0.comparable == found?.comparable }
        return named(spelled ?? found ?? account.address)
    }

    /// The signature below mail from an address, also if another account than this one has the address.
    func signature(writing address: EmailAddress, near account: Account) -> String? {
        let writers = [account] + workspace.accounts
        let writer = writers.first { OwnAddressSet($0.addresses).contains(address) }
        return (writer ?? account).signature(writing: address)
    }

    /// The addresses in the fields of the delivering servers, the last server first.
    private static func delivered(_ message: StoredMessage) -> [EmailAddress] {
        let header = MIMEParser.parse(message.headerBlock)
        return ["Delivered-To", "X-Original-To"].flatMap { header.rawHeader($0).prefix(8) }
            .flatMap { AddressList.read($0).prefix(1) }
    }

    /// The account that sends mail from an address; throws if the address is not the user's.
    ///
    /// `near`: the account that has precedence if several accounts, or none, have the address.
    func writer(_ from: EmailAddress, near: Account? = nil) throws(Problem) -> (Account, EmailAddress) {
        let accounts = [near].compactMap(\.self) + workspace.accounts
        let exact =
            near.flatMap { OwnAddressSet($0.addresses).contains(from) ? $0 : nil }
            ?? accounts.first { $0.address.comparable == from.comparable }
            ?? accounts.first { OwnAddressSet($0.addresses).contains(from) }
        let isOwn = OwnAddressSet(workspace.addresses).contains(from)
        guard let account = exact ?? (isOwn ? accounts.first : nil) else {
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
    /// The identity for an address; an address with a tag after a plus sign belongs to the address without
    /// it.
    func identity(writing address: EmailAddress) -> Identity? {
        identity(address) ?? address.untagged.flatMap { identity($0) }
            // An international domain may be written in either form.
            ?? identities.first { OwnAddressSet([$0.address]).contains(address) }
    }

    /// The signature below mail from an address.
    func signature(writing address: EmailAddress) -> String? {
        identity(writing: address)?.signature ?? signature
    }
}

extension AccountAccess {
    /// The mailbox for copies of mail from an address; nil: the account's Sent, also if opus may not make that mailbox.
    func sentMailbox(_ from: EmailAddress, _ account: Account) throws -> Mailbox? {
        guard let name = account.identity(writing: from)?.sentMailbox else { return nil }
        var mailbox = try mailboxOrNew(name, of: account)
        let exists = try store.sync.mailboxes(of: account.id).contains { $0.name == mailbox.name }
        guard exists || account.permissions.allows(.create) else { return nil }
        // A server that saves sent mail itself does so for each address.
        mailbox.role = .sent
        return mailbox
    }
}

extension Workspace {
    /// All addresses that count as the user's.
    func own(with account: Account) -> OwnAddressSet { OwnAddressSet(addresses + [account.address]) }
}
