import Testing

@testable import MIMEParser

@Suite struct BaseSubjectTests {
    @Test(
        "the base subject has no marks of replies, forwards and lists",
        arguments: [
            ("Lunch", "Lunch"), ("Re: Lunch", "Lunch"), ("RE: re : Lunch", "Lunch"),
            ("AW[2]: Lunch", "Lunch"),
            ("[list] Re: Lunch", "Lunch"), ("Re: [list] Lunch", "Lunch"), ("[a] [b] Lunch", "Lunch"),
            ("Lunch (fwd)", "Lunch"), ("Lunch (FWD) (fwd)", "Lunch"), ("[fwd: Re: Lunch]", "Lunch"),
            ("[list]", "[list]"), ("回复：Lunch", "Lunch"), ("  two   blanks ", "two blanks"), ("Re:", ""),
            ("Regarding: Lunch", "Regarding: Lunch"), ("R: Lunch", "Lunch"), ("I: R: Lunch", "Lunch"),
            ("BLS: Lunch", "Lunch"), ("رد: Lunch", "Lunch"), ("R2: Lunch", "R2: Lunch"),
            ("R[2]: Lunch", "R[2]: Lunch"),
            ("[a] (fwd)", "[a]"), ("", ""), ("[]Lunch", "Lunch"), ("Re: [] Lunch", "Lunch"), ("[]", "[]"),
            ("Re [list]: Lunch", "Lunch"), ("Re[swift-evolution]: Lunch", "Lunch"), ("Re[]: Lunch", "Lunch"),
            ("I [you]: Lunch", "I [you]: Lunch"), ("On [Monday]: Lunch", "On [Monday]: Lunch"),
            ("Re [a] [b]: Lunch", "Re [a] [b]: Lunch"),
        ])
    func base(_ subject: String, _ wanted: String) { #expect(BaseSubject.of(subject) == wanted) }

    @Test("a long row of marks is read in bounded time")
    func long() {
        #expect(BaseSubject.of(String(repeating: "Re: [x] ", count: 5_000) + "end") == "end")
    }
}
