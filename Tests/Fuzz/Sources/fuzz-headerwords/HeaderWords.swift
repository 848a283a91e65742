// Encoded words and parameters: one clean line, however the bytes were written.

import MIMEParser
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    let text = EncodedWord.decode(bytes[...])
    promise(!text.hasAnyControls, "decoded words are one clean line: \(text.debugDescription.prefix(500))")
    promise(text.utf8.count <= 16 * bytes.count + 16, "decoded words are no bomb")
    promise(HeaderText.clean(text) == text, "a clean line is clean")

    // As parameters of a field, which is where parameters are.
    let field = Array("Content-Type: a/b;".utf8) + bytes.filter { $0 != 0x0A && $0 != 0x0D }
    let parameters = MIMEParser.parse(field).root.contentType.parameters
    promise(Set(parameters.names).count == parameters.names.count, "a parameter is there once")
    promise(parameters.names.count <= 128, "parameters are bounded")
    for name in parameters.names {
        promise(!name.utf8.contains { $0 >= 0x41 && $0 <= 0x5A }, "names of parameters are lower case")
        promise(!(parameters[name] ?? "").hasAnyControls, "a value is one clean line")
    }
    return 0
}
