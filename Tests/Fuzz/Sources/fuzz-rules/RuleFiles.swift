// Rule files: compiled or refused; refused ones do nothing, compiled ones say the same of a mail each time.

import Models
import Oracle
import Rules
import RulesOracle
import YAMLSource

#if LIBFUZZER
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: input(data, count), as: UTF8.self)
    let (rules, findings) = RuleSet.compile(
        [.init(file: "a.yaml", text: text)], accounts: [], readList: { _ in nil })
    promise(findings.filter { $0.code != "Y001" }.count <= 21, "findings are bounded: \(findings.count)")
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    for finding in findings {
        // That some are not shown is said of the file as a whole.
        let isOfFile = finding.line == 0 && finding.code == "R004"
        promise(
            isOfFile || (1...lines + 1).contains(finding.line), "a finding stands in the file: \(finding)")
        promise(!finding.rendered().isEmpty, "a finding can be shown")
    }
    let evaluation = rules.evaluate(sampleMail, in: sampleContext)
    if findings.contains(where: { $0.severity == .error }) {
        promise(evaluation.decisions.isEmpty, "what does not check does nothing")
    }
    promise(evaluation.decisions.filter { $0.action.isDisposition }.count <= 1, "one disposition a message")
    promise(rules.evaluate(sampleMail, in: sampleContext) == evaluation, "the same facts give the same")
    _ = rules.explain(sampleMail, in: sampleContext)
    _ = rules.runTests(context: sampleContext)
    return 0
}
