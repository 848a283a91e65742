import HTTPClient
public import Logging
public import Models

/// Finds the servers of an address: by the table, autoconfiguration, DNS, the mail exchangers, and common names.
///
/// Each source may name several candidates, and each is tested (``ServerProof``). The first source with a proven IMAP
/// server ends the search for IMAP; the same applies to SMTP.
public struct ServerSearch: Sendable {
    public struct Options: Sendable {
        public var table = ProviderTable.shipped
        public var resolver = Resolver()
        /// The URL of Mozilla's database; nil: not used.
        public var database: String? = "https://autoconfig.thunderbird.net/v1.1/"
        /// Replaces `https://ua-auto-config.DOMAIN`, for tests.
        public var paccBase: String?
        /// Certificates to trust instead of the system's.
        public var caFile: String?
        /// The only certificate of mail servers to trust, as 64 hexadecimal digits.
        public var pin: String?
        /// Whether to use `http:` if `https:` has no answer. Such an answer is marked.
        public var asksInClear = true

        public init() {}
    }

    /// The servers found, and the failed candidates.
    public struct Result: Sendable {
        public var provider: Provider?
        /// The issuer that registers open OAuth clients for the domain.
        public var issuer: String?
        public var imap: ServerProof.Proven?
        public var smtp: ServerProof.Proven?
        /// Candidates that failed the test.
        public var failed: [Failed] = []
    }

    public struct Failed: Sendable {
        public var candidate: ServerCandidate
        public var failure: ServerProof.Failure
    }

    /// A source of servers.
    public enum Step: String, Sendable {
        case table
        case pacc
        case autoconfig
        case database
        case dns
        case exchangers
        case guesses
    }

    let options: Options
    let logger: Logger
    private static let webLimits = HTTPLimits(body: 256 << 10, deadline: .seconds(6), redirects: 3)
    private static let mostProofs = 6

    public init(_ options: Options = Options(), logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// - Parameters:
    ///   - address: The address of the account.
    ///   - progress: Called before each step, and before each test of a candidate.
    /// - Returns: The proven servers and the failed candidates.
    public func search(
        _ address: EmailAddress, progress: @Sendable (Step, ServerCandidate?) -> Void = { _, _ in }
    ) async -> Result {
        var result = Result()
        let domain = address.domain.lowercased()
        guard HostName.isSound(domain), domain.contains(".") else { return result }
        result.provider = options.table.provider(ofDomain: domain)
        if let provider = result.provider {
            // A provider of the table has no other servers: a guess could only lead astray.
            progress(.table, nil)
            await prove(Self.servers(of: provider, .provider(name: provider.name)), &result) {
                progress(.table, $0)
            }
            return result
        }
        // Asked at the same time, because a server that does not answer costs seconds; believed in this order.
        for steps in [[Step.pacc, .autoconfig, .dns, .exchangers], [.database], [.guesses]] {
            let answers = await withTaskGroup(of: (Step, Answer).self) { group in
                for step in steps {
                    progress(step, nil)
                    group.addTask {
                        let answer = await answer(step, address, domain)
                        return (step, answer)
                    }
                }
                var answers: [Step: Answer] = [:]
                for await (step, answer) in group { answers[step] = answer }
                return answers
            }
            for step in steps where result.imap == nil || result.smtp == nil {
                guard let answer = answers[step] else { continue }
                result.provider = result.provider ?? answer.provider
                result.issuer = result.issuer ?? answer.issuer
                await prove(answer.candidates, &result) { progress(step, $0) }
            }
            if Task.isCancelled || (result.imap != nil && result.smtp != nil) { break }
        }
        return result
    }

    /// What one source knows.
    private struct Answer: Sendable {
        var candidates: [ServerCandidate] = []
        var provider: Provider?
        var issuer: String?
    }

    private func answer(_ step: Step, _ address: EmailAddress, _ domain: String) async -> Answer {
        switch step {
        case .table: return Answer()
        case .pacc: return await pacc(domain)
        case .autoconfig: return Answer(candidates: await autoconfig(address, domain))
        case .database:
            guard let base = options.database else { return Answer() }
            return Answer(candidates: await file(base + (base.hasSuffix("/") ? "" : "/") + domain, address))
        case .dns: return Answer(candidates: await services(of: domain))
        case .exchangers:
            let names = await options.resolver.exchangers(domain)
            guard let provider = options.table.provider(ofExchangers: names) else { return Answer() }
            // DNS can be forged, but it only chose a row of our table.
            let origin = ServerCandidate.Origin.exchanger(
                name: names.first ?? domain, provider: provider.name)
            return Answer(candidates: Self.servers(of: provider, origin), provider: provider)
        case .guesses: return Answer(candidates: Self.guesses(domain))
        }
    }

    private static func servers(
        of provider: Provider, _ origin: ServerCandidate.Origin
    ) -> [ServerCandidate] {
        [
            ServerCandidate(.imap, provider.imap, origin: origin),
            ServerCandidate(.smtp, provider.smtp, origin: origin),
        ]
    }

    // MARK: Autoconfiguration

    /// Never without encryption.
    private func pacc(_ domain: String) async -> Answer {
        let base = options.paccBase ?? "https://ua-auto-config.\(domain)"
        guard let place = WebAddress(base + PACCDocument.path), place.isEncrypted else { return Answer() }
        let client = WebClient(caFile: options.caFile, limits: Self.webLimits, logger: logger)
        guard
            let response = try? await client.send(.get(place, accept: "application/json")),
            response.isSuccess, response.isTrusted,
            let document = PACCDocument(
                response.body, records: await options.resolver.texts("_ua-auto-config.\(domain)"),
                origin: response.address.origin, isTrusted: response.isTrusted)
        else { return Answer() }
        return Answer(candidates: document.candidates, issuer: document.issuer)
    }

    /// At the domain itself; encrypted first.
    private func autoconfig(_ address: EmailAddress, _ domain: String) async -> [ServerCandidate] {
        let hosts = [
            "autoconfig.\(domain)/mail/config-v1.1.xml?emailaddress=\(FormEncoding.encode(address.addrSpec))",
            "\(domain)/.well-known/autoconfig/mail/config-v1.1.xml",
        ]
        let places = (options.asksInClear ? ["https", "http"] : ["https"]).flatMap { scheme in
            hosts.map { "\(scheme)://\($0)" }
        }
        return await withTaskGroup(of: (Int, [ServerCandidate]).self) { group in
            for (number, place) in places.enumerated() {
                group.addTask {
                    let found = await file(place, address)
                    return (number, found)
                }
            }
            var best: (number: Int, found: [ServerCandidate])?
            for await (number, found) in group where !found.isEmpty && number < best?.number ?? .max {
                best = (number, found)
                // No earlier place can be better than the first.
                if number == 0 { group.cancelAll() }
            }
            return best?.found ?? []
        }
    }

    private func file(_ text: String, _ address: EmailAddress) async -> [ServerCandidate] {
        guard let place = WebAddress(text) else { return [] }
        var request = HTTPRequest.get(place, accept: "text/xml, application/xml")
        request.allowsPlaintext = !place.isEncrypted
        let client = WebClient(caFile: options.caFile, limits: Self.webLimits, logger: logger)
        guard let response = try? await client.send(request), response.isSuccess else { return [] }
        return AutoconfigFile(
            response.body, address: address, origin: .autoconfig(address: response.address.origin),
            isTrusted: response.isTrusted
        ).candidates
    }

    // MARK: DNS and guesses

    /// RFC 6186 §3, RFC 8314 §5.1. DNS can be forged: a name outside of the domain is only trusted when the user agrees.
    private func services(of domain: String) async -> [ServerCandidate] {
        let kinds: [(name: String, service: ServerCandidate.Service, security: ServerSecurity)] = [
            ("_imaps._tcp", .imap, .tls), ("_imap._tcp", .imap, .startTLS),
            ("_submissions._tcp", .smtp, .tls), ("_submission._tcp", .smtp, .startTLS),
        ]
        return await withTaskGroup(of: (Int, [ServerCandidate]).self) { group in
            for (number, kind) in kinds.enumerated() {
                group.addTask {
                    let name = "\(kind.name).\(domain)"
                    let found = await options.resolver.services(name).prefix(4).map { service in
                        var candidate = ServerCandidate(
                            kind.service, host: service.host, port: service.port, security: kind.security,
                            origin: .dns(record: name))
                        candidate.isTrusted = candidate.isWithin(domain)
                        return candidate
                    }
                    return (number, found)
                }
            }
            var found: [Int: [ServerCandidate]] = [:]
            for await (number, candidates) in group { found[number] = candidates }
            return kinds.indices.flatMap { found[$0] ?? [] }
        }
    }

    static func guesses(_ domain: String) -> [ServerCandidate] {
        func row(
            _ service: ServerCandidate.Service, _ prefix: String, _ port: Int, _ security: ServerSecurity
        ) -> ServerCandidate {
            ServerCandidate(
                service, host: prefix + domain, port: port, security: security, origin: .guess)
        }
        return [
            row(.imap, "imap.", 993, .tls), row(.imap, "mail.", 993, .tls), row(.imap, "", 993, .tls),
            row(.imap, "imap.", 143, .startTLS), row(.imap, "mail.", 143, .startTLS),
            row(.smtp, "smtp.", 465, .tls), row(.smtp, "mail.", 465, .tls), row(.smtp, "", 465, .tls),
            row(.smtp, "smtp.", 587, .startTLS), row(.smtp, "mail.", 587, .startTLS),
        ]
    }

    // MARK: Proof

    private func outcome(
        of candidate: ServerCandidate, _ proof: ServerProof
    ) async -> Swift.Result<ServerProof.Proven, ServerProof.Failure> {
        do throws(ServerProof.Failure) {
            return .success(try await proof.prove(candidate))
        } catch {
            return .failure(error)
        }
    }

    /// Side by side; of those that prove themselves, the first in order counts.
    private func prove(
        _ candidates: [ServerCandidate], _ result: inout Result,
        _ tell: @Sendable (ServerCandidate) -> Void
    ) async {
        for service in [ServerCandidate.Service.imap, .smtp] {
            guard (service == .imap ? result.imap : result.smtp) == nil else { continue }
            let wanted = Array(candidates.filter { $0.service == service }.prefix(Self.mostProofs))
            for candidate in wanted { tell(candidate) }
            let proof = ServerProof(caFile: options.caFile, pin: options.pin, logger: logger)
            let outcomes = await withTaskGroup(
                of: (Int, Swift.Result<ServerProof.Proven, ServerProof.Failure>).self
            ) { group in
                for (number, candidate) in wanted.enumerated() {
                    group.addTask {
                        let outcome = await outcome(of: candidate, proof)
                        return (number, outcome)
                    }
                }
                var outcomes: [Int: Swift.Result<ServerProof.Proven, ServerProof.Failure>] = [:]
                for await (number, outcome) in group { outcomes[number] = outcome }
                return outcomes
            }
            for (number, candidate) in wanted.enumerated() {
                switch outcomes[number] {
                case .success(let proven):
                    if service == .imap, result.imap == nil { result.imap = proven }
                    if service == .smtp, result.smtp == nil { result.smtp = proven }
                case .failure(let failure):
                    result.failed.append(Failed(candidate: candidate, failure: failure))
                case nil: continue
                }
            }
        }
    }
}
