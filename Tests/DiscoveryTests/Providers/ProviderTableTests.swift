import Foundation
import TestSupport
import Testing

@testable import Discovery

@Suite("table of providers")
struct ProviderTableTests {
    private let rows = ProviderTable.shipped.rows

    @Test("the shipped table is readable, and has every provider that the docs name")
    func isThere() {
        let wanted: Set = [
            "gmail", "google-workspace", "outlook", "microsoft365", "yahoo", "aol", "icloud", "fastmail",
            "proton", "zoho", "gmx", "web.de", "mailbox.org", "posteo",
        ]
        #expect(wanted.isSubset(of: rows.map(\.id)))
        #expect(Set(rows.map(\.id)).count == rows.count)
    }

    @Test(
        "every provider has servers, one step, a page, a day and a source",
        arguments: ProviderTable.shipped.rows)
    func isWhole(row: Provider) throws {
        for server in [row.imap, row.smtp] {
            #expect(HostName.isSound(server.host) && server.host == server.host.lowercased())
            #expect((1...65_535).contains(server.port))
        }
        let usual: [ServerSecurity: Set<Int>] = [.tls: [993, 465], .startTLS: [587, 143, 1143, 1025]]
        #expect(usual[row.imap.security]?.contains(row.imap.port) == true)
        #expect(usual[row.smtp.security]?.contains(row.smtp.port) == true)
        #expect(!row.login.isEmpty && !row.step.isEmpty && !row.blocks.isEmpty)
        #expect(!row.domains.isEmpty || !row.mx.isEmpty)
        for name in row.domains + row.mx { #expect(HostName.isSound(name) && name == name.lowercased()) }
        for page in [row.page, row.source] {
            #expect(page.hasPrefix("https://") && URL(string: page)?.host() != nil)
        }
        #expect(row.asOf.wholeMatch(of: /20\d\d-[01]\d/) != nil)
        if let servers = row.servers {
            #expect(servers.read.wholeMatch(of: /20\d\d-[01]\d-[0-3]\d/) != nil)
            #expect(servers.source.hasPrefix("https://"))
        }
    }

    @Test("each domain belongs to exactly one provider", arguments: ProviderTable.shipped.rows)
    func isFound(row: Provider) {
        for domain in row.domains {
            #expect(ProviderTable.shipped.provider(ofDomain: domain.uppercased())?.id == row.id)
            #expect(rows.count { $0.domains.contains(domain) } == 1)
        }
        for end in row.mx {
            #expect(ProviderTable.shipped.provider(ofExchangers: ["in1." + end])?.id == row.id)
            #expect(ProviderTable.shipped.provider(ofExchangers: ["evil" + end])?.id != row.id)
        }
    }

    @Test("docs/providers has an up-to-date page for each provider", arguments: ProviderTable.shipped.rows)
    func isDocumented(row: Provider) throws {
        let file = Repository.root.appending(path: "docs/providers/\(row.id).md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let words =
            [row.name, row.imap.host, row.smtp.host, row.page, row.source, row.asOf] + row.domains
            + [row.servers?.read, row.servers?.source].compactMap(\.self)
        for word in words { #expect(page.contains(word)) }
        for sentence in [row.step] + row.blocks { #expect(page.contains(sentence.dropFirst())) }
    }

    @Test(
        "a mail exchanger leads to its provider",
        arguments: [
            ("aspmx.l.google.com", "google-workspace"), ("alt1.aspmx.l.google.com", "google-workspace"),
            ("example-org.mail.protection.outlook.com", "microsoft365"),
            ("outlook-com.olc.protection.outlook.com", "outlook"), ("mx-aol.mail.gm0.yahoodns.net", "aol"),
            ("in1-smtp.messagingengine.com", "fastmail"), ("mx01.mail.icloud.com", "icloud"),
            ("mxext1.mailbox.org", "mailbox.org"), ("mail.protonmail.ch", "proton"), ("mx.example.org", nil),
        ] as [(String, String?)])
    func exchangers(name: String, row: String?) {
        #expect(ProviderTable.shipped.provider(ofExchangers: ["mx.nothing.example", name])?.id == row)
    }
}
