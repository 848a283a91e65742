import Foundation
import MIMEParser
public import Models

/// A message described in JSON (`opus inspect compose`): the file read, the message built.
public enum ComposeFile {
    /// The message that the builder makes. A description without a date gets the one that is given.
    ///
    /// An error in a description names its place in it: `attachments[2].name`.
    public static func message(from json: [UInt8], file: String, now: Timestamp) throws(Problem) -> [UInt8] {
        do {
            var description = try JSONDecoder().decode(ComposeDescription.self, from: Data(json))
            description.date = description.date ?? now
            return try description.message()
        } catch let error as BuilderError {
            throw refusal(error, file)
        } catch let error as DecodingError {
            throw refusal(BuilderError(error), file)
        } catch {
            throw Problem(error)
        }
    }

    private static func refusal(_ error: BuilderError, _ file: String) -> Problem {
        Problem(
            "bad-description", exit: .badData, message: "the message cannot be made: \(error)", place: file)
    }
}
