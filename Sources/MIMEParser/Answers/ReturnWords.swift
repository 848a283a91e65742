/// The words that people use in out-of-office replies: the table of ``ReturnDate``, with one entry for each language.
///
/// All words are in lower case. `word*` matches beginnings of words. In languages that are written without spaces, or
/// that add endings to dates, the words match anywhere inside a word.
struct ReturnWords: Sendable {
    /// Which number of `03/04` is the day.
    enum NumberOrder: Sendable {
        case dayFirst
        case monthFirst
    }

    /// nil: both orders are in use.
    var order: NumberOrder?
    /// Words before the last day: `until 14 March`.
    var until: String
    /// Words after the last day: `14 Mart'a kadar`.
    var untilBehind = ""
    /// Words before the first day of an absence, which do not show its end: `from 3 March`.
    var since: String
    /// Words between two days or numbers: `3 to 14 March`.
    var to: String
    /// Words for the return of the sender: `back on 16 March`.
    var back: String
    /// Words for the absence of the sender.
    var away: String
    var tomorrow: String
    /// From Monday to Sunday; a slash separates spellings of one day.
    var weekdays: String
    var isInsideWords = false

    static let languages: [ReturnWords] = western + nordic + eastern + asian

    private static let western: [ReturnWords] = [
        // English
        ReturnWords(
            until: "until till til through thru", since: "from since starting beginning as", to: "to and",
            back: "back return* again resum*",
            away: "away office absen* leave vacation holiday* travel* ooo unavailable offline sabbatical "
                + "break closed closure town hiking",
            tomorrow: "tomorrow",
            weekdays: "monday tuesday/tues wednesday thursday/thurs friday saturday sunday"),
        // German
        ReturnWords(
            order: .dayFirst, until: "bis", since: "ab vom von seit", to: "bis und",
            back: "zurück* wieder rückkehr*",
            away:
                "abwesen* urlaub* büro verreist dienstreise elternzeit ferien betriebsferien unterwegs haus erreichbar erreichen",
            tomorrow: "morgen",
            weekdays: "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag"),
        // French
        ReturnWords(
            order: .dayFirst, until: "jusqu jusque", since: "partir depuis dès", to: "au et à",
            back: "retour* revien* reviens rentr* nouveau reprend*",
            away: "absen* congé* vacances bureau déplacement indisponible joignable fermé* fermeture",
            tomorrow: "demain", weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche"),
        // Spanish
        ReturnWords(
            order: .dayFirst, until: "hasta", since: "desde partir", to: "al y a hasta",
            back: "regres* vuelv* volver* vuelta retorno reincorpor* nuevo",
            away: "ausen* vacaciones oficina fuera viaje disponible permiso baja",
            tomorrow: "mañana",
            weekdays: "lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo"),
        // Italian
        ReturnWords(
            order: .dayFirst, until: "fino sino entro", since: "dal da partire", to: "al e a",
            back: "rientr* torn* ritorn* nuovo", away: "assen* ferie ufficio fuori viaggio trasferta chius*",
            tomorrow: "domani",
            weekdays: "lunedì/lunedi martedì/martedi mercoledì/mercoledi giovedì/giovedi venerdì/venerdi "
                + "sabato domenica"),
        // Portuguese
        ReturnWords(
            order: .dayFirst, until: "até ate", since: "desde partir de", to: "a e ao",
            back: "volt* regress* retorn* novamente",
            away: "ausen* férias ferias escritório fora viagem licença folga", tomorrow: "amanhã",
            weekdays: "segunda/segunda-feira terça/terca quarta quinta sexta sábado/sabado domingo"),
        // Dutch
        ReturnWords(
            order: .dayFirst, until: "tot t/m", since: "vanaf van sinds", to: "tot m en",
            back: "terug* weer bereikbaar",
            away: "afwezig* vakantie kantoor verlof aanwezig vrij", tomorrow: "morgen",
            weekdays: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),
        // Romanian
        ReturnWords(
            order: .dayFirst, until: "până pana", since: "din începând", to: "și la",
            back: "întorc reveni* revin întoarc* nou", away: "concediu birou* absen* lips* vacanță plecat*",
            tomorrow: "mâine",
            weekdays: "luni marți/marti miercuri joi vineri sâmbătă/sambata duminică/duminica"),
    ]

    private static let nordic: [ReturnWords] = [
        // Swedish
        ReturnWords(
            order: .dayFirst, until: "till tom", since: "från fr", to: "till och",
            back: "tillbaka åter igen", away: "semester frånvaro* frånvarande ledig kontoret bortrest borta",
            tomorrow: "imorgon",
            weekdays: "måndag* tisdag* onsdag* torsdag* fredag* lördag* söndag*"),
        // Danish and Norwegian
        ReturnWords(
            order: .dayFirst, until: "til tom", since: "fra", to: "til og",
            back: "tilbage tilbake igjen igen",
            away: "ferie* fravær* kontoret bortrejst permisjon orlov borte", tomorrow: "morgen",
            weekdays: "mandag tirsdag onsdag torsdag fredag lørdag søndag"),
        // Finnish
        ReturnWords(
            order: .dayFirst, until: "", untilBehind: "asti saakka", since: "alkaen lähtien", to: "ja",
            back: "takaisin palaan palaamme jälleen taas tavoitettavissa",
            away: "loma* poissa* vapaalla työmatkalla", tomorrow: "huomenna",
            weekdays: "maanantai* tiistai* keskiviik* torstai* perjantai* lauantai* sunnuntai*"),
    ]

    private static let eastern: [ReturnWords] = [
        // Polish
        ReturnWords(
            order: .dayFirst, until: "do", since: "od", to: "do i",
            back: "wrac* wróc* powrot* powró* ponownie znów",
            away: "urlop* nieobecn* biur* niedostępn* delegacji zwolnieni* wolnym", tomorrow: "jutro",
            weekdays: "poniedziałek/poniedziałku wtorek/wtorku środa/środę czwartek/czwartku "
                + "piątek/piątku sobota/sobotę niedziela/niedzielę"),
        // Czech and Slovak
        ReturnWords(
            order: .dayFirst, until: "do", since: "od", to: "do a",
            back: "zpět vrát* návrat* opět späť znovu",
            away: "dovolen* nepřítom* neprítom* kancelář* kanceláři zastižen* mimo", tomorrow: "zítra zajtra",
            weekdays: "pondělí/pondelok úterý/utorok středa/středu/stredu čtvrtek/štvrtok pátek/piatok "
                + "sobota/sobotu neděle/neděli/nedeľu"),
        // Russian
        ReturnWords(
            order: .dayFirst, until: "до по", since: "с со", to: "по до и",
            back: "верн* возвращ* выхожу выйду снова",
            away: "отпуск* отсутств* офис* командировк* недоступ* выходн*", tomorrow: "завтра",
            weekdays: "понедельник/понедельника вторник/вторника среда/среду/среды четверг/четверга "
                + "пятница/пятницу/пятницы суббота/субботу воскресенье"),
        // Ukrainian
        ReturnWords(
            order: .dayFirst, until: "до по", since: "з із", to: "до по і",
            back: "поверн* знову", away: "відпуст* відсут* офіс* відрядженн* недоступ*", tomorrow: "завтра",
            weekdays: "понеділок/понеділка вівторок/вівторка середа/середу четвер/четверга "
                + "пʼятницю/п’ятницю субота/суботу неділя/неділю"),
        // Turkish
        ReturnWords(
            order: .dayFirst, until: "", untilBehind: "kadar dek", since: "itibaren", to: "ile ve",
            back: "dön* tekrar yeniden", away: "izin* tatil* ofis* dışında yıllık ulaşama*",
            tomorrow: "yarın",
            weekdays: "pazartesi* salı çarşamba* perşembe* cuma cumartesi pazar"),
        // Hungarian
        ReturnWords(
            order: .monthFirst, until: "", untilBehind: "ig", since: "tól től", to: "és",
            back: "visszatér* vissza újra ismét", away: "szabadság* távol* iroda* házon", tomorrow: "holnap",
            weekdays: "hétfő* kedd* szerda* szerdán csütörtök* péntek* szombat* vasárnap*"),
        // Greek
        ReturnWords(
            order: .dayFirst, until: "έως μέχρι ως", since: "από", to: "έως μέχρι και",
            back: "επιστρ* πίσω ξανά", away: "άδεια* απουσ* γραφείο* γραφείου εκτός", tomorrow: "αύριο",
            weekdays: "δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή"),
    ]

    private static let asian: [ReturnWords] = [
        // Japanese
        ReturnWords(
            order: .monthFirst, until: "", untilBehind: "まで", since: "から より", to: "から ～ 〜",
            back: "戻り 戻る 出社 復帰 再開 以降", away: "休暇 不在 休み 休業 出張 お休み 外出", tomorrow: "明日",
            weekdays: "月曜 火曜 水曜 木曜 金曜 土曜 日曜", isInsideWords: true),
        // Chinese
        ReturnWords(
            order: .monthFirst, until: "至 到 直到", untilBehind: "前", since: "从 自 從 起", to: "至 到",
            back: "返回 回来 回來 恢复 恢復 上班 返工", away: "休假 外出 不在 出差 假期 放假 离开 離開 年假", tomorrow: "明天",
            weekdays: "星期一/周一/週一 星期二/周二/週二 星期三/周三/週三 星期四/周四/週四 星期五/周五/週五 "
                + "星期六/周六/週六 星期日/周日/週日", isInsideWords: true),
        // Korean
        ReturnWords(
            order: .monthFirst, until: "", untilBehind: "까지", since: "부터", to: "부터",
            back: "복귀 돌아 이후 출근", away: "휴가 부재 출장 자리 휴무", tomorrow: "내일",
            weekdays: "월요일 화요일 수요일 목요일 금요일 토요일 일요일", isInsideWords: true),
    ]
}
