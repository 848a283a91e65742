import IMAPClient
import IMAPProtocol
import Models

/// What the answers of an IMAP server mean for the executor.
extension SinkError {
    init(_ error: IMAPClientError) {
        if let refusal = error.refusal {
            self.init(refusal, error.description)
            return
        }
        self =
            switch error {
            case .invalidRequest, .missingCapability, .unsafe, .notAllowed, .noMailboxSelected:
                .unsupported(error.description)
            case .transport, .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused,
                .loginUnavailable, .noLoginMechanism, .badCredentials, .refused, .partlyDone, .bye, .limit,
                .protocol, .abandoned, .loggedOut:
                .lost(error.description)
            }
    }

    private init(_ refusal: Refusal, _ words: String) {
        self =
            switch refusal {
            case .later, .done, .noMailbox: .refused(words)
            case .whenFree: .busy(words)
            case .never: .unsupported(words)
            case .perMessage: .refusedSome(words)
            }
    }
}

extension NewPlace {
    /// The new places that COPYUID proves, by the UID before. RFC 4315 §3.
    static func places(of targets: [Target], _ proof: CopyUID?) -> [UInt32: NewPlace] {
        var places: [UInt32: NewPlace] = [:]
        guard let proof else { return places }
        let new = Dictionary(zip(proof.sources, proof.destinations), uniquingKeysWith: { first, _ in first })
        for target in targets {
            guard let uid = new[target.uid] else { continue }
            places[target.uid] = NewPlace(
                uidValidity: proof.uidValidity, uid: uid,
                evidence: "COPYUID \(proof.uidValidity) \(target.uid) \(uid)")
        }
        return places
    }
}
