//! Texts to decode: words of our own in random order, the same for the same seed.
//!
//! A few words are frequent and most are rare, as in real text; East Asian texts have rare characters of the charset
//! between the words, so that no processor learns the text by heart. Lines are of some 75 columns.
//!
//! # Limits
//! It is no language: only lengths and frequencies of words and characters are near to it.

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    /// English with a foreign letter now and then.
    Mostly,
    French,
    Russian,
    Japanese,
    Chinese,
    Korean,
}

const ENGLISH: &str = "the of and to in is that for it with as was on be at by this have from or had not are but \
    what all were when we there can an your which their said if do will each about how up out them then she many \
    some so these would other into has more her two like him see time could no make than first been its who now \
    people my made over did down only way find use may water long little very after words called just where most \
    know message letter meeting schedule attached question answer regards";
const FOREIGN: &str = "Zürich café naïve Málaga façade Ångström – “quoted” Łódź €20 smørrebrød";
const FRENCH: &str = "le de un être et à il avoir ne je son que se qui ce dans en du elle au pour pas vous par sur \
    faire plus dire me on mon lui nous comme mais pouvoir avec tout y aller voir bien où sans tu ou leur homme si \
    deux même moi notre après là aussi très déjà été répondre réunion école élève français façon garçon forêt août \
    hôtel noël égalité société théâtre problème près père mère première dernière année février lettre merci bientôt \
    cœur œuvre 30€";
const RUSSIAN: &str = "и в не он на я что тот быть с а весь это как она по но они к у ты из мы за вы так же от \
    сказать этот который мочь человек о один ещё бы такой только себя своё какой когда уже для вот кто да говорить \
    год знать мой до или если время рука нет самый ни стать большой даже другой наш свой ну под где дело есть сам \
    раз чтобы два там чем глаз жизнь первый день тут во ничто потом очень хотеть ли при голова надо без видеть \
    идти теперь тоже стоять друг дом письмо вопрос ответ встреча спасибо";
const JAPANESE: &str = "の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など \
    なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり \
    より による ず なり られる において ば なかっ なく しかし について せ だっ その後 できる それ 日本 東京 会議 資料 \
    添付 確認 お願い 致します 連絡 時間 明日 今日 先生 学校 会社 電話 手紙 質問 回答 ありがとう ございます 場所 予定 \
    メール ファイル サーバー データ システム";
const CHINESE: &str = "的 一 是 不 了 人 我 在 有 他 中 大 上 和 地 到 以 子 就 可 下 而 生 自 之 年 那 后 作 里 用 \
    道 行 所 然 家 事 成 方 多 去 法 如 同 主 本 日 工 已 心 正 外 明 正在 日本 中国人 今天 明天 先生 工作 不可以 可是 \
    因此 所以 如果 公司 文件 信件 意思 希望";
const KOREAN: &str = "이 그 저 것 수 나 우리 사람 하다 있다 되다 않다 없다 같다 보다 주다 오다 알다 가다 말하다 \
    위하다 그러나 그리고 때문에 시간 문제 사회 경우 생각하다 모르다 만들다 한국 서울 회의 자료 첨부 확인 부탁드립니다 \
    연락 내일 오늘 선생님 학교 회사 전화 편지 질문 대답 감사합니다 장소 예정 메일 파일 서버 데이터 시스템";

/// A text of at least `len` bytes in UTF-8 that `fits` a charset.
pub fn write(language: Language, len: usize, fits: impl Fn(char) -> bool) -> String {
    let rare: Vec<char> = match language {
        Language::Japanese | Language::Chinese => ('\u{4E00}'..='\u{9FA5}').filter(|c| fits(*c)).collect(),
        Language::Korean => ('\u{AC00}'..='\u{D7A3}').filter(|c| fits(*c)).collect(),
        _ => Vec::new(),
    };
    write_with(language, len, fits, &rare)
}

/// Like [`write`], without rare characters. A subject full of them would look as if its charset were wrong.
pub fn write_words(language: Language, len: usize, fits: impl Fn(char) -> bool) -> String {
    write_with(language, len, fits, &[])
}

fn write_with(language: Language, len: usize, fits: impl Fn(char) -> bool, rare: &[char]) -> String {
    let words: Vec<&str> = match language {
        Language::English | Language::Mostly => ENGLISH,
        Language::French => FRENCH,
        Language::Russian => RUSSIAN,
        Language::Japanese => JAPANESE,
        Language::Chinese => CHINESE,
        Language::Korean => KOREAN,
    }
    .split_whitespace()
    .filter(|word| word.chars().all(&fits))
    .collect();
    let foreign: Vec<&str> = FOREIGN.split_whitespace().collect();
    let spaces = !matches!(language, Language::Japanese | Language::Chinese);
    let mut random = Random(1);
    let mut out = String::with_capacity(len + 100);
    let mut line = 0;
    while out.len() < len {
        let before = out.len();
        if !rare.is_empty() && random.below(4) == 0 {
            out.extend((0..2).map(|_| rare[random.below(rare.len())]));
        } else if language == Language::Mostly && random.below(25) == 0 {
            out.push_str(foreign[random.below(foreign.len())]);
        } else {
            out.push_str(words[random.frequent(words.len())]);
        }
        line += out[before..].chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum::<usize>();
        match random.below(12) {
            0 if spaces => out.push_str(". "),
            1 if spaces => out.push_str(", "),
            0 if fits('。') => out.push('。'),
            1 if fits('、') => out.push('、'),
            // A figure now and then.
            2 if !spaces && random.below(8) == 0 => out.push_str("2026"),
            _ if spaces => out.push(' '),
            _ => {}
        }
        if line > 70 {
            out.push_str("\r\n");
            line = 0;
        }
    }
    out
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize * end) >> 31
    }

    /// Small numbers more often.
    fn frequent(&mut self, end: usize) -> usize {
        let place = self.below(end);
        if self.below(3) == 0 { place } else { place * self.below(end) / end }
    }
}
