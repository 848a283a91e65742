// Plays the inputs of one fuzz target, one after the other: fixed-inputs TARGET FILE PROGRESS.
//
// FILE has each input after its size, four bytes in the order of the machine. PROGRESS gets the number of the input before
// it is played: after a broken promise, a trap or a hang, Tests/fuzz.py reads there which one it was.

import Glibc
import fuzz_addresses
import fuzz_build
import fuzz_dates
import fuzz_headerwords
import fuzz_html
import fuzz_imap_framer
import fuzz_imap_response
import fuzz_imap_written
import fuzz_message
import fuzz_modified_utf7
import fuzz_phrases
import fuzz_query
import fuzz_repeats
import fuzz_rules
import fuzz_scram
import fuzz_signature
import fuzz_vtodo

typealias Target = (UnsafePointer<UInt8>?, Int) -> Int32

let targets: [String: Target] = [
    "addresses": fuzz_addresses.fuzz,
    "build": fuzz_build.fuzz,
    "dates": fuzz_dates.fuzz,
    "headerwords": fuzz_headerwords.fuzz,
    "html": fuzz_html.fuzz,
    "imap-framer": fuzz_imap_framer.fuzz,
    "imap-response": fuzz_imap_response.fuzz,
    "imap-written": fuzz_imap_written.fuzz,
    "message": fuzz_message.fuzz,
    "modified-utf7": fuzz_modified_utf7.fuzz,
    "phrases": fuzz_phrases.fuzz,
    "query": fuzz_query.fuzz,
    "repeats": fuzz_repeats.fuzz,
    "rules": fuzz_rules.fuzz,
    "scram": fuzz_scram.fuzz,
    "signature": fuzz_signature.fuzz,
    "vtodo": fuzz_vtodo.fuzz,
]

/// An input that takes longer hangs. Seconds.
let patience: UInt32 = 20

@MainActor func play() -> Int32 {
    let words = CommandLine.arguments
    guard words.count == 4, let target = targets[words[1]] else {
        print(
            "usage: fixed-inputs TARGET FILE PROGRESS; targets: \(targets.keys.sorted().joined(separator: " "))"
        )
        return 64
    }
    let progress = open(words[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard progress >= 0, let file = fopen(words[2], "rb") else {
        perror("fixed-inputs")
        return 74
    }
    var size: UInt32 = 0
    var number: UInt64 = 0
    while fread(&size, 4, 1, file) == 1 {
        var input = [UInt8](repeating: 0, count: Int(size))
        guard fread(&input, 1, input.count, file) == input.count else { return 65 }
        guard pwrite(progress, &number, 8, 0) == 8 else { return 74 }
        alarm(patience)
        _ = input.withUnsafeBufferPointer { target($0.baseAddress, $0.count) }
        number += 1
    }
    print(number)
    return 0
}

exit(play())
