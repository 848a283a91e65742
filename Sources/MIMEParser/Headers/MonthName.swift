/// The names of months, complete or abbreviated, in the languages that occur in dates of mail.
enum MonthName {
    /// The month of a word, in lower or upper case (only lower case outside ASCII); nil: not a month, or ambiguous.
    static func month(of word: ArraySlice<UInt8>) -> Int? {
        guard word.count >= 3, word.count <= 32 else { return nil }
        if word.count == 3 {
            if let month = short(word) { return month }
            if weekdays.contains(where: { word.isWord($0) }) { return nil }
        }
        let word = word.map(\.lowercasedASCII)
        var exact: Set<Int> = []
        var begun: Set<Int> = []
        for (name, month) in names where name.starts(with: word) {
            begun.insert(month)
            if name.count == word.count { exact.insert(month) }
        }
        let found = exact.isEmpty ? begun : exact
        return found.count == 1 ? found.first : nil
    }

    /// The names of RFC 5322 §3.3.
    private static func short(_ word: ArraySlice<UInt8>) -> Int? {
        var letters: UInt32 = 0
        for byte in word { letters = letters << 8 | UInt32(byte | 0x20) }
        switch letters {
        case 0x6A_616E: return 1
        case 0x66_6562: return 2
        case 0x6D_6172: return 3
        case 0x61_7072: return 4
        case 0x6D_6179: return 5
        case 0x6A_756E: return 6
        case 0x6A_756C: return 7
        case 0x61_7567: return 8
        case 0x73_6570: return 9
        case 0x6F_6374: return 10
        case 0x6E_6F76: return 11
        case 0x64_6563: return 12
        case _: return nil
        }
    }

    /// Weekdays, which need no search: no month begins with one of these.
    private static let weekdays: [StaticString] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private static let names: [(name: [UInt8], month: Int)] = languages.flatMap { line in
        line.split(separator: " ").enumerated().map { (Array($1.utf8), $0 % 12 + 1) }
    }

    /// A line a language, in the case that dates put the names in. A name that two languages give to different
    /// months (`listopad`) is in both lines, and so says nothing.
    private static let languages = [
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jänner feber mrz apr mai jun jul aug sep okt nov dez",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "januari februari mrt april mei juni juli agustus september oktober november desember",
        "januari februari mars april maj juni juli augusti september oktober november december",
        "januar februar marts april maj juni juli august september oktober november december",
        "januar februar mars april mai juni juli august september oktober november desember",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
        "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
        "ledna února března dubna května června července srpna září října listopadu prosince",
        "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
        "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
        "siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
        "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
        "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
        "януари февруари март април май юни юли август септември октомври ноември декември",
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta "
            + "heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
        "január február március április május június július augusztus szeptember október november december",
        "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
        "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου "
            + "ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
    ]
}
