/// The environment variables that opus reads, for `opus help environment` and the man page.
struct EnvironmentVariable {
    /// One name, or several with one meaning.
    let names: String
    let meaning: String

    init(_ names: String, _ meaning: String) {
        self.names = names
        self.meaning = meaning
    }

    static let all = [
        EnvironmentVariable("OPUS_WORKSPACE", "the workspace, if --workspace is not given"),
        EnvironmentVariable("OPUS_NO_INPUT", "if set, opus asks nothing; commands that would ask need --yes"),
        EnvironmentVariable(
            "OPUS_PASSWORD_COMMAND", "the program that prints the password, for opus init and account add"),
        EnvironmentVariable("OPUS_PAGER, PAGER, LESS", "the pager of long lists and texts; empty: none"),
        EnvironmentVariable("OPUS_FORCE_TTY", "if set, files and pipes get the output of a terminal"),
        EnvironmentVariable("COLUMNS", "the width of tables"),
        EnvironmentVariable("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "colours, with --color auto"),
        EnvironmentVariable("VISUAL, EDITOR", "the editor for drafts, tasks and opus.yaml"),
        EnvironmentVariable("XDG_CONFIG_HOME", "the folder with opus/opus.yaml (~/.config)"),
        EnvironmentVariable(
            "XDG_DATA_HOME", "the folder with opus/, for tasks and the store (~/.local/share)"),
        EnvironmentVariable("OPUS_SHARE", "the sample mailbox and the starter rules of opus demo"),
        EnvironmentVariable("OPUS_PROVIDERS", "your own table of mail providers"),
        EnvironmentVariable("OPUS_ISPDB", "the server of configuration files for opus init; empty: none"),
        EnvironmentVariable("OPUS_PACC", "in place of https://ua-auto-config.DOMAIN, for tests"),
        EnvironmentVariable("OPUS_RESOLVER", "the DNS server, such as 9.9.9.9:53"),
    ]
}
