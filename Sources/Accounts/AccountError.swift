import Glibc

/// Why opus could not get a password or token, or could not create the folder of the store.
///
/// It names the command and its position; it never includes the command's output.
public struct AccountError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The account has no `login`.
        case noLogin
        /// The program does not exist.
        case commandMissing
        case commandFailed(status: Int32)
        case commandKilled(signal: Int32)
        case timedOut(seconds: Int)
        /// The first line was empty.
        case emptyOutput
        case outputTooLong(maximum: Int)
        /// The first line is not UTF-8 text, or has a NUL.
        case unreadableOutput
        case storeFolder(errno: Int32)
    }

    public var code: Code
    /// The command, quoted for a shell; a path for `storeFolder`.
    public var command: String
    /// `opus.yaml:12`.
    public var place: String
    /// What the command should have printed.
    public var proof: Login.Proof

    public init(_ code: Code, command: String, place: String, proof: Login.Proof = .password) {
        self.code = code
        self.command = command
        self.place = place
        self.proof = proof
    }

    public var description: String { "\(sentence)   \(place)" }

    /// Whether the same command may work later: a keyring is locked, or the machine has no network yet.
    public var mayPass: Bool {
        switch code {
        // A shell found no program, or cannot run it.
        case .commandFailed(let status): status != 126 && status != 127
        case .commandKilled, .timedOut, .emptyOutput: true
        case .noLogin, .commandMissing, .outputTooLong, .unreadableOutput, .storeFolder: false
        }
    }

    /// Without the position.
    public var sentence: String {
        switch code {
        case .noLogin:
            "\(command) has no login; add login: { user: …, password-command: […] }"
        case .commandMissing:
            "the \(proof.rawValue) command cannot be found: \(command); install it, or write its full path"
        case .commandFailed(let status):
            "the \(proof.rawValue) command failed with exit status \(status): \(command); run it in a terminal to see why"
        case .commandKilled(let signal):
            "the \(proof.rawValue) command was ended by signal \(signal): \(command); run it in a terminal to see why"
        case .timedOut(let seconds):
            "the \(proof.rawValue) command took more than \(seconds) s: \(command); run it in a terminal to see whether it asks a question"
        case .emptyOutput:
            "the \(proof.rawValue) command printed an empty first line: \(command)"
        case .outputTooLong(let maximum):
            "the \(proof.rawValue) command printed more than \(maximum) bytes: \(command)"
        case .unreadableOutput:
            "the \(proof.rawValue) command printed something that is not text: \(command)"
        case .storeFolder(let number):
            "cannot make \(command): \(strerror(number).map { String(cString: $0) } ?? "error \(number)")"
        }
    }
}

/// Quotes a command line for a shell, for texts to users.
public enum ShellQuoting {
    public static func quoted(_ arguments: [String]) -> String {
        arguments.map(quoted).joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || "-_./:=@,+%~".unicodeScalars.contains($0)
            }
        return isPlain
            ? argument
            : "'"
                + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
                + "'"
    }
}
