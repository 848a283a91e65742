/// Beginnings of subjects that programs write before the answered subject. In lower case.
///
/// A subject is weak evidence: people keep it when they answer, and write about absences too. So it counts only if the
/// header shows nothing, and ``AnswerReader`` requires further signs.
enum AnswerSubjects {
    /// Whether the subject begins with such a form, or consists of it: `automatic reply: …`, `[auto-reply] …`.
    static func isAutomaticReply(_ subject: String) -> Bool { begins(subject, automatic) }

    /// Whether the subject begins with a form that people write too: `out of office: …`, `vacation`.
    static func isAbsence(_ subject: String) -> Bool {
        begins(subject, absence)
            || subjectEnds.contains { subject.hasSuffix($0) || subject.hasSuffix($0 + ".") }
    }

    static func isReceipt(_ subject: String) -> Bool { begins(subject, receipts) }
    static func isCalendar(_ subject: String) -> Bool { begins(subject, calendar) }
    static func isBounce(_ subject: String) -> Bool { bounces.contains { subject.hasPrefix($0) } }

    /// The form, with nothing but a mark behind it: `out of office policy` is not one.
    private static func begins(_ subject: String, _ forms: [String]) -> Bool {
        let subject = subject.drop { $0 == "[" || $0 == "(" || $0 == "【" || $0 == "*" || $0 == " " }
        return forms.contains { form in
            guard subject.hasPrefix(form) else { return false }
            let rest = subject.dropFirst(form.count).drop { $0 == " " }
            guard let first = rest.first else { return true }
            return ":：])】-–—*|(（".contains(first)
        }
    }

    private static let automatic: [String] = [
        "automatic reply", "automatic response", "auto reply", "auto-reply", "autoreply", "auto response",
        "auto-response", "autoresponse", "autoresponder", "out of office autoreply",
        "out of office auto-reply",
        "automatische antwort", "autom. antwort", "automatische rückantwort", "abwesenheitsnotiz",
        "abwesenheitsnachricht", "abwesenheitsmeldung", "abwesenheitsassistent", "réponse automatique",
        "reponse automatique", "message automatique", "respuesta automática", "respuesta automatica",
        "contestación automática", "resposta automàtica", "risposta automatica", "messaggio automatico",
        "resposta automática", "resposta automatica", "automatisch antwoord", "automatische beantwoording",
        "afwezigheidsbericht", "afwezigheidsmelding", "automatyczna odpowiedź", "odpowiedź automatyczna",
        "autoodpowiedź",
        "automatická odpověď", "automatická odpoveď", "automatikus válasz", "automatski odgovor",
        "samodejni odgovor",
        "samodejno odgovarjanje", "răspuns automat", "raspuns automat", "автоответ", "автоматический ответ",
        "автоматична відповідь",
        "автовідповідь", "автоматичен отговор", "аутоматски одговор", "otomatik yanıt", "otomatik cevap",
        "autosvar",
        "automatiskt svar", "automatisk svar", "automaattinen vastaus", "automaatvastus",
        "automātiska atbilde",
        "automatinis atsakymas", "αυτόματη απάντηση", "自動応答", "自動返信", "自动答复", "自动回复", "自動回覆",
        "自動答覆", "자동 회신", "자동 응답", "자동회신", "رد تلقائي", "תשובה אוטומטית", "การตอบกลับอัตโนมัติ",
        "ตอบกลับอัตโนมัติ", "trả lời tự động", "thư trả lời tự động", "balasan otomatis", "balasan automatik",
    ]

    private static let absence: [String] = [
        "out of office", "out-of-office", "out of the office", "ooo", "away from my mail", "away",
        "away notice", "vacation",
        "vacation reply", "on vacation", "i am out of the office", "on leave", "holiday", "abwesend",
        "abwesenheit",
        "nicht im büro", "urlaub", "absence", "absent", "absent du bureau", "absence du bureau",
        "absente du bureau",
        "en congé", "ausente", "fuera de la oficina", "fuera de oficina", "ausencia", "fuori sede",
        "fuori ufficio",
        "assente", "assenza", "in ferie", "ausência", "ausência temporária", "fora do escritório",
        "de férias",
        "afwezig", "niet aanwezig", "niet op kantoor", "nieobecność", "poza biurem", "urlop", "mimo kancelář",
        "nepřítomnost", "dovolená", "házon kívül", "szabadság", "в отпуске", "отпуск", "нет на месте",
        "у відпустці", "ofis dışında", "ofis dışı", "izindeyim", "frånvaro", "frånvarande", "ikke til stede",
        "fravær", "fraværende", "ferie", "poissaoloilmoitus", "poissa", "lomalla", "în concediu",
        "εκτός γραφείου",
        "不在通知", "不在のお知らせ", "休暇のお知らせ", "外出", "休假", "不在办公室", "부재 중", "부재중", "휴가 중",
    ]

    /// HCL Notes puts the name in front.
    private static let subjectEnds: [String] = [
        "is out of the office", "will be out of the office", "ist außer haus", "ist nicht im büro",
        "est absent(e) du bureau",
        "está fuera de la oficina", "è fuori ufficio", "is niet aanwezig", "is niet op kantoor", "は不在です",
        "不在办公室",
    ]

    private static let receipts: [String] = [
        "read", "not read", "return receipt", "return receipt (displayed)", "delivered", "relayed", "gelesen",
        "nicht gelesen", "ungelesen gelöscht", "lesebestätigung", "empfangsbestätigung", "zugestellt",
        "lu", "non lu", "accusé de réception", "leído", "no leído", "confirmación de lectura", "letto",
        "conferma di lettura", "non letto", "lida", "não lida", "gelezen", "leesbevestiging",
        "ontvangstbevestiging", "przeczytano",
        "potwierdzenie przeczytania", "прочтено", "прочитано", "уведомление о прочтении", "läst", "läskvitto",
        "læst", "lest",
        "luettu", "přečteno", "přečtení", "okundu", "開封済み", "已读", "已讀", "읽음",
    ]

    private static let calendar: [String] = [
        "accepted", "declined", "tentative", "tentatively accepted", "new time proposed", "canceled",
        "cancelled",
        "invitation", "updated invitation", "meeting forward notification", "zugesagt", "angenommen",
        "abgelehnt", "mit vorbehalt",
        "abgesagt", "einladung", "accepté", "refusé", "provisoire", "annulé", "invitation acceptée",
        "aceptado",
        "aceptada", "rechazado", "rechazada", "provisional", "cancelado", "accettato", "rifiutato",
        "provvisorio", "annullato",
        "aceite", "aceito", "recusado", "geaccepteerd", "geweigerd", "voorlopig", "geannuleerd",
        "zaakceptowano",
        "odrzucono", "принято", "отклонено", "godkänt", "accepterat", "avböjt", "accepteret", "afvist",
        "hyväksytty",
        "přijato", "odmítnuto", "kabul edildi", "reddedildi", "承諾", "承諾済み", "辞退", "已接受", "已拒绝", "수락됨", "거절됨",
    ]

    private static let bounces: [String] = [
        "undeliverable", "undelivered mail", "undeliverable mail", "undeliverable message",
        "mail delivery failed", "mail delivery fail",
        "delivery status notification", "failure notice", "returned mail", "mail system error",
        "delivery failure", "delivery failed", "notice: mail delivery status", "message delivery failure",
        "mail could not be delivered",
        "delayed mail", "warning: could not send", "warning: message", "mail delivery delayed",
        "delivery delayed",
        "delivery has failed", "message undeliverable", "successful mail delivery", "mail delivery status",
        "non-delivery", "nondeliverable", "your message couldn", "unzustellbar", "nicht zustellbar",
        "zustellung fehlgeschlagen",
        "unzustellbare", "fehler bei der zustellung", "verzögerte zustellung", "non remis",
        "échec de la remise", "message non distribué",
        "échec de remise", "retard de remise", "no se puede entregar", "no entregado", "error de entrega",
        "mensaje no entregado", "non recapitabile", "mancata consegna", "consegna non riuscita",
        "messaggio non recapitato",
        "não é possível entregar", "não entregue", "falha na entrega", "mensagem não entregue",
        "onbestelbaar",
        "niet bezorgd", "bezorging mislukt", "niedostarczalne", "nie dostarczono", "wiadomość niedostarczona",
        "не удается доставить", "недоставленное", "сообщение не доставлено", "ошибка доставки",
        "не доставлено",
        "teslim edilemedi", "kan inte levereras", "går inte att leverera", "olevererbart", "kan ikke leveres",
        "kunne ikke leveres", "ei voida toimittaa", "viestiä ei voitu", "nedoručitelné", "nedoručená", "配信不能",
        "配信できません",
        "送信できませんでした", "无法送达", "無法傳遞", "未送达", "未传递", "退信", "배달되지 않음", "전송 실패", "배달 못함",
    ]
}
