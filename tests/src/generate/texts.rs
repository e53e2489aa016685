//! Sentences for generated mail, and the kinds of text parts with them. All prose was written for this generator.

/// Sentences of one language.
pub(super) struct LanguageSentences {
    /// The sender's name, also used in subjects.
    pub(super) name: &'static str,
    /// Complete sentences.
    pub(super) sentences: &'static [&'static str],
}

/// Encoding and labelling of a part.
pub(super) struct Kind {
    /// Relative frequency.
    pub(super) weight: usize,
    /// Index into [`LANGUAGES`].
    pub(super) language: usize,
    /// Label as written; None for no charset parameter.
    pub(super) label: Option<&'static str>,
    /// WHATWG name of the encoding of the bytes, or `utf-7`.
    pub(super) real: &'static str,
    /// Defect of the label, if any.
    pub(super) flaw: Option<&'static str>,
    /// Transfer encodings: `7bit`, `8bit`, `quoted-printable`, `base64`.
    pub(super) transfers: &'static [&'static str],
}

const EN: usize = 0;
const SMART: usize = 1;
const DE: usize = 2;
const FR: usize = 3;
const ES: usize = 4;
const PL: usize = 5;
const RU: usize = 6;
const UK: usize = 7;
const EL: usize = 8;
const TR: usize = 9;
const HE: usize = 10;
const TH: usize = 11;
const JA: usize = 12;
const ZH: usize = 13;
const TW: usize = 14;
const KO: usize = 15;
const JA_WINDOWS: usize = 16;
const ZH_WINDOWS: usize = 17;
const KO_WINDOWS: usize = 18;

pub(super) const LANGUAGES: &[LanguageSentences] = &[
    LanguageSentences {
        name: "Martha Quinn",
        sentences: &[
            "The build is green again after the cache was cleared on both machines.",
            "I would rather keep the old interface until somebody has measured the new one.",
            "Has anybody seen this warning on the smaller boards, too?",
            "The second half of the series still needs a review from the storage people.",
            "Nothing in the log explains why the queue stops after a few hundred jobs.",
            "Please split the change; the first part is ready and the rest can wait.",
            "We agreed to ship on the ninth, whatever the state of the manual.",
            "That test passes here with the same compiler and the same flags.",
        ],
    },
    LanguageSentences {
        name: "Noël O’Hara",
        sentences: &[
            "It’s the third “final” version this week… and I still can’t open the file.",
            "The fee is €40 – payable at the door, as we’ve always done.",
            "“Nobody reads the minutes,” she said, “but everyone quotes them.”",
            "Let’s meet at the café – they’ve kept the corner table for us.",
        ],
    },
    LanguageSentences {
        name: "Käthe Groß",
        sentences: &[
            "Die Lieferung verzögert sich um drei Tage, weil die Brücke bei Nürnberg gesperrt ist.",
            "Könnten Sie die Maße der Tür bitte noch einmal überprüfen?",
            "Der Schlüssel für das Gästezimmer hängt über dem Spülbecken.",
            "Für die Rückreise haben wir schöne Plätze am Fenster bekommen.",
            "Mit freundlichen Grüßen aus Lübeck.",
        ],
    },
    LanguageSentences {
        name: "Émile Garçon",
        sentences: &[
            "Le relevé du mois dernier n'a pas été joint à votre message.",
            "Où faut-il déposer les clés après la fête du collège ?",
            "Nous avons reçu la boîte, mais la théière était fêlée.",
            "Les réponses arrivées après dix-huit heures seront traitées demain.",
        ],
    },
    LanguageSentences {
        name: "Begoña Ibáñez",
        sentences: &[
            "¿Quién cerró la válvula del depósito pequeño anteayer?",
            "El señor Núñez mandó las fotografías desde el teléfono de su compañía.",
            "Mañana habrá café y piñones para todos los que ayuden.",
        ],
    },
    LanguageSentences {
        name: "Józef Świątek",
        sentences: &[
            "Pociąg do Łodzi odjeżdża o szóstej, więc musimy wstać wcześniej.",
            "Proszę przesłać poprawioną fakturę z właściwą datą sprzedaży.",
            "Książki, które pożyczyłeś, leżą na półce obok źródła światła.",
        ],
    },
    LanguageSentences {
        name: "Ольга Пескова",
        sentences: &[
            "Новая сборка уже лежит на сервере, но описание к ней пока не готово.",
            "Подскажите, пожалуйста, кто отвечает за выгрузку архива за июль?",
            "Мы нашли ошибку: счётчик обнулялся при каждом перезапуске службы.",
            "Встречу перенесли на четверг, начало в половине одиннадцатого.",
        ],
    },
    LanguageSentences {
        name: "Їванна Гаєвська",
        sentences: &[
            "Ґанок полагодили, тепер черга за дахом і під'їздом.",
            "Надішліть, будь ласка, перелік учасників із їхніми адресами.",
            "Завтра об одинадцятій зустрічаємося біля їдальні.",
        ],
    },
    LanguageSentences {
        name: "Ελένη Μαυρίδη",
        sentences: &[
            "Το πλοίο φεύγει στις οκτώ, αν το επιτρέψει ο καιρός.",
            "Μπορείτε να μου στείλετε ξανά τον κατάλογο των βιβλίων;",
            "Ο λογαριασμός πληρώθηκε χθες το απόγευμα από το ταχυδρομείο.",
        ],
    },
    LanguageSentences {
        name: "Işıl Çağlar",
        sentences: &[
            "Yağmur dinince bahçedeki sandalyeleri içeri alır mısınız?",
            "Şişedeki su bitmiş, dağ yolunda çeşme de yokmuş.",
            "Öğleden sonraki görüşme iptal edildi, yenisini bildireceğiz.",
        ],
    },
    LanguageSentences {
        name: "נועה לוין",
        sentences: &[
            "הרכבת לחיפה מאחרת בעשר דקות בגלל עבודות במסילה.",
            "מי לקח את המפתח של החדר הקטן?",
            "נשמח לראות אתכם בארוחה ביום רביעי.",
        ],
    },
    LanguageSentences {
        name: "มาลี ทองดี",
        sentences: &[
            "รถไฟจะออกเวลาเจ็ดโมงเช้า กรุณามาถึงสถานีก่อนเวลา",
            "ฝากรับพัสดุที่ห้องด้านล่างด้วยนะคะ",
            "ร้านอาหารใหม่ตรงมุมถนนอร่อยมาก",
        ],
    },
    LanguageSentences {
        name: "中村さくら",
        sentences: &[
            "来月の勉強会は駅前の図書館で開きますので、参加できる方は返信してください。",
            "印刷機の紙がなくなりました。予備は棚の一番下にあります。",
            "昨日お送りした見積りに誤りがありました。訂正版を添えます。",
            "雨の場合は体育館に変更いたします。",
        ],
    },
    LanguageSentences {
        name: "周晓雨",
        sentences: &[
            "新版本已经放到服务器上，说明文件下午补齐。",
            "请问谁负责七月份的数据备份？",
            "周四的讨论改到十点半开始，地点不变。",
            "这个错误只在小内存的机器上出现。",
        ],
    },
    LanguageSentences {
        name: "林怡君",
        sentences: &[
            "圖書館的書已經到期，請記得在星期五以前歸還。",
            "請問下次聚會要改到哪一天？",
            "新的說明放在公告欄，有問題請回信告訴我。",
        ],
    },
    LanguageSentences {
        name: "박서연",
        sentences: &[
            "다음 주 모임 장소가 도서관으로 바뀌었습니다.",
            "프린터 종이가 떨어졌으니 누가 좀 채워 주세요.",
            "어제 보낸 견적에 잘못이 있어서 다시 보냅니다.",
        ],
    },
    LanguageSentences {
        name: "村上工業",
        sentences: &[
            "①と②の部品は㈱村上工業から届きました。",
            "№７の箱は倉庫の奥にあります。",
            "重さは合わせて㌔単位で書いてください。",
        ],
    },
    LanguageSentences {
        name: "方喆",
        sentences: &[
            "陶喆的新唱片放在前台，需要的同事请自取。",
            "门上的囍字还没有揭下来，搬东西时请小心。",
        ],
    },
    LanguageSentences {
        name: "박서연",
        sentences: &[
            "똠양꿍을 파는 식당이 역 앞에 새로 생겼습니다.",
            "게시판에 햏자라는 말이 다시 보입니다.",
        ],
    },
];

const BYTES: &[&str] = &["8bit", "base64"];
const ANY: &[&str] = &["8bit", "quoted-printable", "base64"];
const LATIN: &[&str] = &["8bit", "quoted-printable"];
const SEVEN: &[&str] = &["7bit"];

const fn kind(
    weight: usize,
    language: usize,
    label: &'static str,
    real: &'static str,
    transfers: &'static [&'static str],
) -> Kind {
    Kind {
        weight,
        language,
        label: Some(label),
        real,
        flaw: None,
        transfers,
    }
}

const fn flawed(
    weight: usize,
    language: usize,
    label: Option<&'static str>,
    real: &'static str,
    flaw: &'static str,
    transfers: &'static [&'static str],
) -> Kind {
    Kind {
        weight,
        language,
        label,
        real,
        flaw: Some(flaw),
        transfers,
    }
}

pub(super) const KINDS: &[Kind] = &[
    kind(30, EN, "us-ascii", "utf-8", SEVEN),
    Kind {
        weight: 12,
        language: EN,
        label: None,
        real: "utf-8",
        flaw: None,
        transfers: SEVEN,
    },
    kind(24, SMART, "utf-8", "utf-8", ANY),
    kind(5, SMART, "windows-1252", "windows-1252", LATIN),
    flawed(
        5,
        SMART,
        Some("iso-8859-1"),
        "windows-1252",
        "cp1252-as-latin1",
        LATIN,
    ),
    kind(8, DE, "iso-8859-1", "windows-1252", LATIN),
    kind(3, DE, "ISO-8859-15", "iso-8859-15", LATIN),
    kind(6, DE, "utf-8", "utf-8", LATIN),
    kind(1, DE, "utf-7", "utf-7", SEVEN),
    kind(4, FR, "iso-8859-1", "windows-1252", LATIN),
    kind(1, FR, "macintosh", "macintosh", &["quoted-printable"]),
    flawed(2, FR, Some("iso-8859-1"), "utf-8", "utf8-as-latin1", LATIN),
    kind(3, ES, "iso-8859-1", "windows-1252", LATIN),
    kind(3, PL, "iso-8859-2", "iso-8859-2", LATIN),
    kind(2, PL, "windows-1250", "windows-1250", LATIN),
    kind(4, RU, "koi8-r", "koi8-r", BYTES),
    kind(4, RU, "windows-1251", "windows-1251", ANY),
    kind(1, RU, "iso-8859-5", "iso-8859-5", BYTES),
    kind(1, RU, "cp866", "ibm866", BYTES),
    kind(3, RU, "utf-8", "utf-8", BYTES),
    flawed(
        2,
        RU,
        Some("us-ascii"),
        "koi8-r",
        "8bit-as-ascii",
        &["8bit"],
    ),
    flawed(2, RU, None, "windows-1251", "no-label-8bit", &["8bit"]),
    kind(1, UK, "koi8-u", "koi8-u", BYTES),
    kind(2, EL, "iso-8859-7", "iso-8859-7", LATIN),
    kind(1, EL, "windows-1253", "windows-1253", LATIN),
    kind(2, TR, "iso-8859-9", "windows-1254", LATIN),
    kind(1, HE, "windows-1255", "windows-1255", BYTES),
    kind(1, TH, "tis-620", "windows-874", BYTES),
    kind(7, JA, "iso-2022-jp", "iso-2022-jp", SEVEN),
    kind(2, JA, "shift_jis", "shift_jis", BYTES),
    kind(1, JA, "euc-jp", "euc-jp", BYTES),
    kind(3, JA, "utf-8", "utf-8", BYTES),
    kind(3, ZH, "gb2312", "gbk", BYTES),
    kind(1, ZH, "gb18030", "gb18030", BYTES),
    kind(2, TW, "big5", "big5", BYTES),
    kind(2, KO, "euc-kr", "euc-kr", BYTES),
    flawed(
        1,
        SMART,
        Some("x-unknown"),
        "windows-1252",
        "unknown-label",
        LATIN,
    ),
];

/// Parts of mailboxes with many flaws, beside [`KINDS`].
pub(super) const DAMAGED_KINDS: &[Kind] = &[
    flawed(
        1,
        PL,
        Some("iso-8859-2"),
        "windows-1250",
        "cp1250-as-8859-2",
        &["8bit"],
    ),
    flawed(
        1,
        TR,
        Some("iso-8859-1"),
        "windows-1254",
        "8859-9-as-latin1",
        &["8bit"],
    ),
    flawed(
        1,
        JA_WINDOWS,
        Some("iso-2022-jp"),
        "iso-2022-jp",
        "cp50221-as-2022jp",
        SEVEN,
    ),
    flawed(
        1,
        JA_WINDOWS,
        Some("shift_jis"),
        "shift_jis",
        "cp932-as-sjis",
        &["base64"],
    ),
    flawed(
        1,
        ZH_WINDOWS,
        Some("gb2312"),
        "gbk",
        "gbk-as-gb2312",
        &["base64"],
    ),
    flawed(
        1,
        KO_WINDOWS,
        Some("ks_c_5601-1987"),
        "euc-kr",
        "cp949-as-ksc",
        &["base64"],
    ),
    flawed(
        3,
        DE,
        Some("utf-8"),
        "windows-1252",
        "latin1-as-utf8",
        &["8bit"],
    ),
    flawed(
        1,
        DE,
        Some("unknown-8bit"),
        "windows-1252",
        "unknown-label",
        &["8bit"],
    ),
    flawed(
        1,
        RU,
        Some("utf-8; euao6y69zh2w"),
        "utf-8",
        "garbage-label",
        &["8bit"],
    ),
    flawed(1, FR, Some("utf8"), "utf-8", "alias-label", &["8bit"]),
];
