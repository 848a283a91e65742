import CLinux
import Glibc
public import SASL
import Subprocess

extension Account {
    /// Runs `password-command` or `token-command` and reads the secret from its output; see ``PrintedSecret``.
    ///
    /// Limits: no shell, 30 seconds, 64 KiB. Output on standard error is discarded, because it may contain
    /// the command's input.
    public func credentials() async throws(AccountError) -> SASLCredentials {
        try await issueCredentials().credentials
    }

    /// The same, with the lifetime of a token if the command prints it.
    public func issueCredentials() async throws(AccountError) -> IssuedCredentials {
        guard let login else {
            throw AccountError(.noLogin, command: "account \(id)", place: place.description)
        }
        let printed = try await SecretCommand(login).printed()
        let proof: SASLCredentials.Proof =
            switch login.proof {
            case .password: .password(printed.secret)
            case .token: .token(printed.secret)
            }
        return IssuedCredentials(
            credentials: SASLCredentials(user: login.user, proof: proof, mechanism: login.mechanism),
            life: printed.life)
    }
}

/// A command that prints a password or a token.
struct SecretCommand: Sendable {
    let arguments: [String]
    let folder: String
    let place: String
    let proof: Login.Proof
    /// The standard input; nil: empty.
    var input: Secret?
    var timeout = Duration.seconds(30)

    static let maximumBytes = 65_536

    init(_ login: Login) {
        arguments = login.command
        proof = login.proof
        folder = login.folder
        place = login.place.description
    }

    /// A command that prints a refresh token or a client secret, or that reads `input` on standard input.
    init(_ arguments: [String], input: Secret? = nil, folder: String, place: String) {
        self.arguments = arguments
        self.input = input
        self.folder = folder
        self.place = place
        proof = .token
    }

    /// The first line of its output.
    func line() async throws(AccountError) -> Secret {
        switch await outcome() {
        case .printed(let bytes):
            do {
                return try PrintedSecret(bytes, .password).secret
            } catch {
                throw self.error(error.code)
            }
        case .failed(let code): throw error(code)
        }
    }

    /// Runs it and ignores its output.
    func succeed() async throws(AccountError) {
        if case .failed(let code) = await outcome() { throw error(code) }
    }

    func run() async throws(AccountError) -> Secret { try await printed().secret }

    func printed() async throws(AccountError) -> PrintedSecret {
        switch await outcome() {
        case .printed(let bytes):
            do {
                return try PrintedSecret(bytes, proof)
            } catch {
                throw self.error(error.code)
            }
        case .failed(let code): throw error(code)
        }
    }

    private enum Outcome: Sendable {
        case printed([UInt8])
        case failed(AccountError.Code)
    }

    /// Waits for the command or the timeout, whichever is first.
    ///
    /// Not a task group, because a group waits for both: if a grandchild kept the pipe open, opus would still
    /// wait after the command was killed.
    private func outcome() async -> Outcome {
        let (outcomes, continuation) = AsyncStream.makeStream(
            of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
        let command = Task { continuation.yield(await execute()) }
        let clock = Task {
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            continuation.yield(.failed(.timedOut(seconds: Int(timeout.components.seconds))))
        }
        defer {
            command.cancel()
            clock.cancel()
        }
        for await outcome in outcomes { return outcome }
        return .failed(.timedOut(seconds: Int(timeout.components.seconds)))
    }

    private func execute() async -> Outcome {
        guard let program = arguments.first else { return .failed(.commandMissing) }
        // Without a path, Subprocess would try to start a process in each folder of PATH, so the full path is
        // passed.
        let path = program.contains("/") ? program : Disk.program(program)
        let executable: Executable = path.map { .path(Self.literal($0)) } ?? .name(program)
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        do {
            guard let input else { return try await run(executable, options, .none) }
            // Not a pipe, because a command may end without reading it.
            guard let file = MemoryFile(input) else { return .failed(.commandMissing) }
            defer { file.close() }
            return try await run(
                executable, options,
                .fileDescriptor(Self.raw(file.descriptor), closeAfterSpawningProcess: false))
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            return .failed(.outputTooLong(maximum: Self.maximumBytes))
        } catch {
            return .failed(.commandMissing)
        }
    }

    private func run(
        _ executable: Executable, _ options: PlatformOptions, _ input: some InputProtocol
    ) async throws -> Outcome {
        let result = try await Subprocess.run(
            executable, arguments: Arguments(Array(arguments.dropFirst())),
            workingDirectory: Self.literal(folder), platformOptions: options, input: input,
            output: .bytes(limit: Self.maximumBytes), error: .discarded)
        switch result.terminationStatus {
        case .exited(0): return .printed(result.standardOutput)
        case .exited(let status): return .failed(.commandFailed(status: status))
        case .signaled(let signal): return .failed(.commandKilled(signal: signal))
        }
    }

    /// A value of Subprocess's path type, whose own module cannot be imported here.
    private static func literal<Path: ExpressibleByStringLiteral>(_ text: String) -> Path
    where Path.StringLiteralType == String {
        Path(stringLiteral: text)
    }

    /// The same for its type of file descriptors.
    private static func raw<Descriptor: RawRepresentable>(_ number: CInt) -> Descriptor
    where Descriptor.RawValue == CInt {
        guard let descriptor = Descriptor(rawValue: number) else {
            preconditionFailure("every number is a descriptor")
        }
        return descriptor
    }

    private func error(_ code: AccountError.Code) -> AccountError {
        AccountError(code, command: ShellQuoting.quoted(arguments), place: place, proof: proof)
    }
}

/// A secret in memory that a command can read as a file. It exists on no disk.
private struct MemoryFile {
    let descriptor: CInt

    init?(_ secret: Secret) {
        let descriptor = opus_memory_file("input")
        guard descriptor >= 0 else { return nil }
        let bytes = Array(secret.reveal().utf8)
        // A short text is always written completely to memory.
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0
        else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    func close() { Glibc.close(descriptor) }
}
