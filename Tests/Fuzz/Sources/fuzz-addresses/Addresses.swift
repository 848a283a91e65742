// Address lists: clean, bounded, and the same whether a line was folded or not.

import MIMEParser
import Models
import Oracle

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = input(data, count)
    let addresses = AddressList.read(bytes[...])
    check(addresses, bytes: bytes.count)
    for address in addresses where !address.domain.isEmpty {
        promise(address.addrSpec.contains("@"), "an address with a domain has an @")
    }
    return 0
}
