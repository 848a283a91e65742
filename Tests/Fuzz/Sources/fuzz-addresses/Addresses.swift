// Address lists: clean, bounded, and the same whether a line was folded or not.

import MIMEParser
import Models
import Oracle

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    let addresses = AddressList.read(bytes[...])
    check(addresses, bytes: bytes.count)
    for address in addresses where !address.domain.isEmpty {
        // Bytes, because a combining mark after it makes another character of it.
        promise(address.addrSpec.utf8.contains(UInt8(ascii: "@")), "an address with a domain has an @")
    }
    return 0
}
