import Foundation
import MIMEParser
public import Models

/// A message described in JSON (`opus inspect compose`): reads the file and builds the message.
public enum ComposeFile {
    /// The built message. If the description has no date, `now` is used.
    ///
    /// An error in the description names its position: `attachments[2].name`.
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
