import Testing
import Models
@testable import MIMEParser
@Suite struct ZZBench {
  @Test func bench() throws {
    let header = (0..<25).map { "X-Header-\($0): some value that is about as long as usual; a=b\r\n" }.joined()
    let html = "<html><head><style>a{}</style></head><body>" + String(repeating: "<table><tr><td style=\"color:red\"><p>Hello <b>world</b> this is text</p><a href=\"https://example.org/x?y=1\">link</a></td></tr></table>", count: 200) + "</body></html>"
    let pdf = Base64.encode([UInt8](repeating: 7, count: 200_000), lineLength: 76)
    var s = "From: Ana Smith <ana@example.org>\r\nTo: Bob <bob@example.org>, c@d.org\r\nSubject: =?utf-8?q?Caf=C3=A9_time?=\r\nDate: Thu, 05 Mar 2026 10:00:00 +0100\r\nMessage-ID: <abc@x.org>\r\n" + header
    s += "Content-Type: multipart/mixed; boundary=\"----=_A\"\r\n\r\n------=_A\r\nContent-Type: multipart/alternative; boundary=\"----=_B\"\r\n\r\n------=_B\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + String(repeating: "Hello world text line of usual length, with é\r\n", count: 60)
    s += "------=_B\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html + "\r\n------=_B--\r\n------=_A\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + String(decoding: pdf, as: UTF8.self) + "\r\n------=_A--\r\n"
    let bytes = Array(s.utf8)
    let clock = ContinuousClock()
    let n = 500
    print("BENCH size", bytes.count)
    print("BENCH parse", clock.measure { for _ in 0..<n { _ = MIMEParser.parse(bytes).parts.count } } / n)
    let m = MIMEParser.parse(bytes)
    print("BENCH envelope", clock.measure { for _ in 0..<n { _ = m.envelope } } / n)
    print("BENCH headers", clock.measure { for _ in 0..<n { _ = m.headers } } / n)
    print("BENCH text", clock.measure { for _ in 0..<n { _ = m.text() } } / n)
    print("BENCH html", clock.measure { for _ in 0..<n { _ = m.text(of: m.parts[3]) } } / n, html.utf8.count)
    print("BENCH attachments", clock.measure { for _ in 0..<n { _ = m.attachments } } / n)
    let block = Array(m.headerBlock)
    print("BENCH block envelope", clock.measure { for _ in 0..<n { _ = HeaderBlock.envelope(of: block) } } / n)
  }
}
