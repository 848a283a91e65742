import Models

/// Explains the refusal of a login by a provider: one sentence for the user, and one next step.
///
/// The texts are those of the providers as of November 2026. They are not trusted and only compared.
struct LoginRefusal: Sendable {
    let sentence: String
    let step: String

    /// nil: the text is unknown.
    init?(_ words: String, account: AccountID) {
        let lowered = words.lowercased()
        guard let row = Self.table.first(where: { row in row.signs.contains { lowered.contains($0) } }) else {
            return nil
        }
        sentence = row.sentence
        step = row.step.replacing("NAME", with: account.rawValue)
    }

    private struct Row {
        let signs: [String]
        let sentence: String
        let step: String
    }

    private static let table: [Row] = [
        Row(
            signs: ["basic authentication is disabled", "basicauthblocked", "5.7.139"],
            sentence: "the provider no longer accepts passwords for this mailbox",
            step: "login: { oauth: … } in opus.yaml, then opus account login NAME"),
        Row(
            signs: ["aadsts7000112"], sentence: "the provider has switched this application off",
            step: "register a client id of your own, and set login.oauth.client-id"),
        Row(
            signs: ["aadsts50011", "redirect_uri_mismatch", "redirect_uri mismatch"],
            sentence: "the redirect address is not registered for this client id",
            step: "register http://127.0.0.1 for it, or https://localhost and opus account login NAME --paste"
        ),
        Row(
            signs: ["aadsts65001", "aadsts90094", "need admin approval", "consent_required"],
            sentence: "your organisation has not allowed this application",
            step: "ask its administrator to approve the client id of login.oauth"),
        Row(
            signs: [
                "application-specific password required", "app password required", "app-specific password",
                "use an app password", "need to create an app password",
            ],
            sentence: "the provider requires an app password instead of your own",
            step: "make one (docs/providers says where) and let password-command print it"),
        Row(
            signs: [
                "imap access is disabled", "not enabled for imap", "imap is disabled", "yet to enable imap",
                "authenticated but not connected",
            ],
            sentence: "IMAP is switched off for this mailbox",
            step: "switch IMAP on in the settings of the provider's web mail"),
        Row(
            signs: ["invalid_scope", "aadsts70011"], sentence: "the provider does not know one of the scopes",
            step: "correct login.oauth.scope"),
        Row(
            signs: ["invalid_client", "unauthorized_client"],
            sentence: "the provider does not accept this client id or its secret",
            step: "correct login.oauth.client-id, or client-secret-command"),
        Row(
            signs: ["access_denied"], sentence: "the login was declined in the browser",
            step: "opus account login NAME"),
        Row(
            signs: ["expired_token"], sentence: "the code for the other device has expired",
            step: "opus account login NAME --device"),
        Row(
            signs: ["invalid_grant"], sentence: "the login has expired or was revoked",
            step: "opus account login NAME"),
    ]
}
