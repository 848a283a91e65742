import ArgumentParser

/// `--ca-file`, for the commands that connect to a server over TLS.
struct CertificateOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Trust these certificates instead of the system's (PEM).", valueName: "file"),
        completion: .file())
    var caFile: String?
}
