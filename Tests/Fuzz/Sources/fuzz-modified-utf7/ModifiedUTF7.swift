// Names of mailboxes: what is written is read, and the C library reads and writes the same.

import CIconv
import IMAPProtocol
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    checkName(bytes)
    checkText(String(decoding: bytes, as: UTF8.self))
    _ = ModifiedUTF7.displayName(bytes)
    return 0
}

/// The bytes as a name that a server sent.
private func checkName(_ name: [UInt8]) {
    let theirs = reader.convert(name)
    if let text = ModifiedUTF7.decode(name) {
        let isSame = theirs == Array(text.utf8)
        promise(isSame, "the C library reads \(text.debugDescription) too, not \(shown(theirs))")
        checkText(text)
    } else if let theirs, writer.convert(theirs) == name {
        promise(false, "a name in its one right spelling is read: \(shown(theirs))")
    }
}

/// The text as a name that we are about to create.
private func checkText(_ text: String) {
    let name = ModifiedUTF7.encode(text)
    promise(name.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "a name is printable ASCII")
    promise(ModifiedUTF7.decode(name) == text, "a name is read as it was written")
    promise(ModifiedUTF7.displayName(name) == text, "a name is shown as it was written")
    let theirs = writer.convert(Array(text.utf8))
    promise(theirs == name, "the C library writes the same: \(shown(theirs)) and \(shown(name))")
}

private func shown(_ bytes: [UInt8]?) -> String {
    bytes.map { String(decoding: $0, as: UTF8.self).debugDescription } ?? "nothing"
}

nonisolated(unsafe) private let reader = Converter(from: "UTF-7-IMAP", to: "UTF-8")
nonisolated(unsafe) private let writer = Converter(from: "UTF-8", to: "UTF-7-IMAP")

/// A converter of the C library.
private struct Converter {
    private let handle: iconv_t

    init(from: String, to: String) {
        handle = iconv_open(to, from)
        promise(Int(bitPattern: handle) != -1, "the C library converts \(from) to \(to)")
    }

    /// Nil where the bytes are none of that charset.
    func convert(_ bytes: [UInt8]) -> [UInt8]? {
        _ = iconv(handle, nil, nil, nil, nil)
        var source = bytes.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: bytes.count * 8 + 32)
        var left = source.count
        var room = target.count
        let isWhole = source.withUnsafeMutableBufferPointer { source in
            target.withUnsafeMutableBufferPointer { target in
                var from = source.baseAddress
                var to = target.baseAddress
                guard iconv(handle, &from, &left, &to, &room) != -1, left == 0 else { return false }
                // What brings a name back to plain text at its end.
                return iconv(handle, nil, nil, &to, &room) != -1
            }
        }
        return isWhole ? target.dropLast(room).map { UInt8(bitPattern: $0) } : nil
    }
}
