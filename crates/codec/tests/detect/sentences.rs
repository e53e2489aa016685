//! Sentences of mail in many languages.
//!
//! # Limits
//!
//! One sentence for each language.

/// Sentences of mail in many languages, with the charsets that they are read from.
pub(crate) const SENTENCES: [(&str, &str, &str); 24] = [
    (
        "de",
        "windows-1252 ISO-8859-15 IBM850 macintosh UTF-7 UTF-16LE UTF-16BE",
        "Schöne Grüße aus Köln, und vergiß nicht, mir die Fotos von der Geburtstagsfeier zu schicken. Wir hören später voneinander.",
    ),
    (
        "fr",
        "windows-1252 ISO-8859-15 IBM850 macintosh",
        "Bonjour à tous, la réunion est déplacée à mercredi après-midi. Merci de me prévenir si vous êtes empêchés, à très bientôt.",
    ),
    (
        "es",
        "windows-1252 IBM850 macintosh",
        "Mañana por la mañana llegaré a la estación. ¿Podrías recogerme? El niño está muy contento de ver a su tía otra vez.",
    ),
    (
        "pt",
        "windows-1252 IBM850 macintosh",
        "Não posso ir à reunião de amanhã, mas já enviei as informações que você pediu. Até à próxima semana, um abraço do João.",
    ),
    (
        "sv",
        "windows-1252 IBM850",
        "Hej, vi ses på lördag när båten går från hamnen. Glöm inte att ta med kläder för dåligt väder och något att äta på vägen.",
    ),
    (
        "da",
        "windows-1252 IBM850",
        "Kære alle, vi mødes på lørdag hos Søren. Husk at tage både brød og øl med, så skal vi nok få en god aften sammen på øen.",
    ),
    (
        "pl",
        "ISO-8859-2 windows-1250 IBM852",
        "Dziękuję bardzo za wczorajszą wiadomość. Spotkamy się w środę po południu, jeśli pogoda będzie ładna, a potem pójdziemy na kolację.",
    ),
    (
        "cs",
        "ISO-8859-2 windows-1250 IBM852",
        "Děkuji za včerejší dopis. Příští týden přijedu vlakem do Brna a rád bych se s tebou sešel u řeky, jestli budeš mít chvíli času.",
    ),
    (
        "hu",
        "ISO-8859-2 windows-1250 IBM852",
        "Köszönöm szépen a levelet. A jövő héten biztosan elküldöm a fényképeket, és remélem, hogy nemsokára újra találkozunk nálunk.",
    ),
    (
        "ro",
        "ISO-8859-2 windows-1250 IBM852",
        "Mulţumesc pentru veşti. Săptămâna viitoare ajung în Bucureşti şi aş vrea să ne întâlnim, dacă ai puţin timp după serviciu.",
    ),
    (
        "hr",
        "ISO-8859-2 windows-1250 IBM852",
        "Hvala ti što si mi poslao slike s ljetovanja. Sljedeći tjedan dolazim u Zagreb, pa bismo mogli otići na kavu ili večeru.",
    ),
    (
        "lt",
        "windows-1257 ISO-8859-13",
        "Ačiū už laišką. Kitą savaitę atvažiuosiu į Vilnių ir labai norėčiau su tavimi susitikti, jeigu turėsi šiek tiek laiko vakare.",
    ),
    (
        "et",
        "windows-1257",
        "Tänan kirja eest. Järgmisel nädalal sõidan Tartusse ja tahaksin sinuga kohtuda, kui sul õhtul pärast tööd veidi aega on.",
    ),
    (
        "tr",
        "windows-1254 IBM857",
        "Geçen hafta gönderdiğin mektup için teşekkür ederim. Önümüzdeki salı günü İstanbul'a geliyorum, akşam görüşebilir miyiz?",
    ),
    (
        "ru",
        "windows-1251 KOI8-R ISO-8859-5 IBM866 x-mac-cyrillic UTF-7 UTF-16LE",
        "Спасибо за письмо. На следующей неделе я приеду в Москву и хотел бы встретиться с тобой, если у тебя будет немного времени.",
    ),
    (
        "uk",
        "windows-1251 KOI8-U",
        "Дякую за листа. Наступного тижня я приїду до Києва і хотів би зустрітися з тобою, якщо ти матимеш трохи вільного часу.",
    ),
    (
        "el",
        "windows-1253 ISO-8859-7 CP737",
        "Σε ευχαριστώ πολύ για το γράμμα. Την επόμενη εβδομάδα θα έρθω στην Αθήνα και θα ήθελα να σε δω, αν έχεις λίγο χρόνο.",
    ),
    (
        "he",
        "windows-1255 IBM862",
        "תודה רבה על המכתב. בשבוע הבא אגיע לירושלים ואשמח להיפגש איתך, אם יהיה לך קצת זמן פנוי בערב אחרי העבודה.",
    ),
    (
        "ar",
        "windows-1256 ISO-8859-6",
        "شكرا جزيلا على رسالتك. سأصل إلى القاهرة في الأسبوع القادم وأود أن ألتقي بك إذا كان لديك بعض الوقت في المساء.",
    ),
    (
        "th",
        "windows-874",
        "ขอบคุณมากสำหรับจดหมาย สัปดาห์หน้าฉันจะไปกรุงเทพและอยากพบคุณถ้าคุณพอมีเวลาว่างในตอนเย็นหลังเลิกงาน",
    ),
    (
        "ja",
        "Shift_JIS EUC-JP ISO-2022-JP UTF-7 UTF-16BE",
        "お手紙ありがとうございました。来週東京に行きますので、夕方に少しお時間がありましたら、お会いできればうれしいです。",
    ),
    (
        "ko",
        "windows-949 ISO-2022-KR JOHAB",
        "편지 보내 주셔서 감사합니다. 다음 주에 서울에 가는데 저녁에 시간이 있으시면 만나 뵙고 싶습니다. 답장 기다리겠습니다.",
    ),
    (
        "zh_CN",
        "GBK HZ-GB-2312",
        "谢谢你的来信。我下个星期要到北京去，如果你晚上有时间的话，我们可以一起吃饭。请你早一点告诉我你的安排。",
    ),
    (
        "zh_TW",
        "Big5",
        "謝謝你的來信。我下個星期要到臺北去，如果你晚上有時間的話，我們可以一起吃飯。請你早一點告訴我你的安排。",
    ),
];
