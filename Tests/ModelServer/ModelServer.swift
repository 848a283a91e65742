import DialectServer
import Foundation

/// The simulated servers as a program of their own, for harnesses that kill the program under test.
///
/// Says its ports in one line of JSON, then answers each line of JSON on stdin with one on stdout; ends with stdin.
/// `Tests/Kill/model.py` is the other side.
@main
struct ModelServer {
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? "dovecot"
        guard let profile = DialectProfile.all.first(where: { $0.name == name }) else {
            FileHandle.standardError.write(Data("model-server: no profile \(name)\n".utf8))
            exit(64)
        }
        let filesSent = CommandLine.arguments.contains("--files-sent")
        let imap = try await DialectServer.start(profile)
        imap.onlyNotesForbidden()
        let smtp = try await SubmissionServer.start(
            beside: imap, filingIn: filesSent ? imap.model.name(of: "\\Sent") : nil)
        try say(Ports(imap: imap.port, smtp: smtp.port))
        var desk = ControlDesk(imap: imap, smtp: smtp)
        while let line = readLine() {
            do {
                try say(desk.answer(try JSONDecoder().decode(Request.self, from: Data(line.utf8))))
            } catch {
                try say(Answer(error: "\(error)"))
            }
        }
        await imap.stop()
        await smtp.stop()
    }

    private static func say(_ value: some Encodable) throws {
        FileHandle.standardOutput.write(try JSONEncoder().encode(value) + [0x0A])
    }

    private struct Ports: Encodable {
        var imap: Int
        var smtp: Int
    }
}
