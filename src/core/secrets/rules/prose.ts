import { isPlaceholder } from '../placeholders.ts';
import {
  ABOUT_ANY,
  CHANGED,
  CODE,
  DOORS,
  IS_ANY,
  LOGIN,
  PIN,
  PROSE_WORDS,
  type ProseWords,
  RECOVERY_CODES,
  USER,
  WIFI,
} from '../prose-words.ts';
import type { SecretRule } from '../rule.ts';
import { isPassword } from './labels.ts';

/** Letters beyond ASCII, as ranges: a property class takes milliseconds to compile. */
const LETTERS = '\\u00c0-\\u024f\\u0400-\\u04ff';
const END = `(?![\\w${LETTERS}])`;
/** A few words after a preposition, up to what introduces the value. */
const about = (words: string) => `(?:[ ,]{1,2}(?:${words})(?:${END}|(?<='))[^\\n.:=;?!"«„“「]{0,50}?)??`;
/** A name and its value stand on one line. */
const GAP = '[ \\t\\xa0]';
/** A few words, except those that make it something else than a password: a field, a rule, a length. */
const WITH = `(?:[ ,]{1,2}(?!(?:fields?|columns?|polic|rules?|manag|hash|reset|length|limit|size|count|min|max|age|expir|prompts?|propert|param|variable|setting|option|file|type|format|strength|check|valid|auth|based|protect|feld|richtlinie|champ|campo|veld|pole|поле))[\\w'${LETTERS}][^\\n.:=;?!"«„“「]{0,50}?)??`;
const OPENS = '["“„«「『]';
/** In quotation marks, with spaces, or one word. The sentence's full stop is not part of it. */
const QUOTED = `${OPENS}\\s?([^"“”«»「」『』\\n]{4,80}?)(?=\\s?["”“»」』])`;
const BARE = "['‘`*]{0,3}([!#-&*+./0-9:=?@A-Z[\\]^_a-z{}~À-ɏ\\\\-]{1,80}(?<![.:!?*])[!?]?)";
const LIKE_ONE = `(?=${OPENS}|\\S{0,40}[0-9!#$%&@_])`;

/** Words in place of a password that are not passwords. */
const NOT_ONE =
  /^(?:1password|keepass|bitwarden|lastpass|vault|(?:rfc|cve|iso|nist|wpa|tls|ssl|oauth|python|node|php|java|windows|server|mysql|postgres|redis|ubuntu|debian|user|admin|step|version|level|line|page|room|port|slot|type|kb|issue|ticket|field|table|option|arg|param|host|web|db|app|api|staging|prod)[a-z]{0,8}[-_#.]?[0-9]{1,4}$)|[\\/]|^[0-9]{1,4}[-./:][0-9]|^[0-9.,]+[a-z%]{0,3}$|^#|\(\)|\.[a-z]{2,4}$|^%|%[0-9a-f]{2}|%[ds]|[{}[\]=]/i;

/** A ticket, a standard, a model. */
const CAPITALS = /^[A-Z]{2,10}[-#]?[0-9]{1,6}$/;

/** Whether a word of a sentence looks like a password. Right after the name, without a verb, it must do so clearly. */
function isSpoken(value: string, direct: boolean): boolean {
  // The mark that ends a sentence does not suggest a password.
  const inner = value.replace(/[!?]$/, '');
  if (!isPassword(inner) || NOT_ONE.test(value) || CAPITALS.test(inner)) return false;
  if (/[a-z]/.test(inner) && /[A-Z]/.test(inner) && inner.length >= 8) return true;
  return !direct || /[!#$%&@]/.test(inner) || (value.match(/[0-9]/g)?.length ?? 0) >= 2;
}

/** Scripts without spaces between words. */
const UNSPACED = /^[\u3040-\ud7ff]/;
const DIGITS = /^[0-9]{4,12}[#*]?$/;
const JOINED = /^[a-zß-ɏ]{3,}(?:[_-][a-zß-ɏ0-9]{2,}){1,5}$/i;
/** Also the word for any other key. */
const KEY = /^clave/i;
const PHRASE = /phrase|frase|zin\b|фраза|フレーズ|口令/i;
const SECRET_WORD =
  /^(?:(?:secret|code|safe) word|codewort|losungswort|mot secret|pala[bv]ra secreta|parola (?:segreta|d'ordine)|codewoord|кодовое слово|合い?言葉)/i;
/** What a form says in quotation marks, and what a program fills in. */
const IN_FORMS = /[%{<$]|^[./~]|\/\w+\/|\b(?:enter|please|pass|must|should|required|optional|your|invalid|wrong)/i;

/** What may end the text between a name and its value. */
interface Ends {
  readonly verb: RegExp;
  readonly to: RegExp;
  /** Only a preposition and its words before the verb. A number after anything else can count anything. */
  readonly plain: RegExp;
}

/** Decides by what stands between the value and its name. */
function isGiven({ 0: whole, 1: quoted, 2: bare = '', input, index }: RegExpExecArray, ends: Ends): boolean {
  const value = quoted ?? bare;
  const between = whole.slice(0, whole.length - value.length).replace(/["“„«「『'‘`*\s]+$/, '');
  const colon = /[:=]$/.test(between);
  const verb = ends.verb.test(between);
  if (quoted !== undefined) {
    // A value without Latin letters or digits cannot be compared with placeholders.
    if ((/[a-z0-9]/i.test(quoted) && isPlaceholder(quoted)) || IN_FORMS.test(quoted)) return false;
    return colon ? PHRASE.test(between) || isSpoken(quoted, false) : verb || (quoted.length >= 6 && !KEY.test(between));
  }
  const before = input.slice(Math.max(0, index - 60), index) + between;
  if (!colon && !verb && ends.to.test(between)) return CHANGED.test(before) && isSpoken(value, false);
  // After “user dana,” a password needs no verb.
  const paired = /[,;、] ?$/.test(input.slice(Math.max(0, index - 2), index));
  if (isSpoken(value, !colon && !verb && !paired)) return !KEY.test(between) || ends.plain.test(between);
  if (paired && WIFI.test(before) && value.includes('_')) return JOINED.test(value);
  if (isPlaceholder(value)) return false;
  if (!colon && !verb) return UNSPACED.test(between) && /^[0-9]{6,12}$/.test(value);
  if (DIGITS.test(value)) return value.length >= (colon ? 6 : 4) && ends.plain.test(between);
  if (WIFI.test(before)) return JOINED.test(value);
  return verb && SECRET_WORD.test(between) && /^\p{Lu}\p{Ll}{3,}$/u.test(value);
}

function passwordRule({
  language,
  keywords,
  password,
  about: prepositions,
  is,
  to,
  says,
  harmless,
}: ProseWords): SecretRule {
  const gives =
    prepositions !== ''
      ? `${END}(?:${WITH}(?:${GAP}{0,2}[:=]${GAP}{0,2}|(?:${GAP}{1,2}|, ?|\\? )${is}${GAP}{1,2}|${GAP}(?:${to})${GAP}${LIKE_ONE})|${GAP}${LIKE_ONE})`
      : `(?:${GAP}{0,2}(?:${is}|[:=]|(?:${to})${LIKE_ONE})${GAP}{0,2}|${GAP}{1,2})`;
  const ends: Ends = {
    verb: new RegExp(`${is}$`, 'i'),
    to: new RegExp(`[\\s\\u3040-\\ud7ff](?:${to})$`, 'i'),
    plain: new RegExp(`^${password}${about(prepositions)}[ \\t,?]{0,2}(?:${is}|[:=])$`, 'i'),
  };
  return {
    rule: `prose-password-${language.toLowerCase().replace(/,? .*/, '')}`,
    severity: 'hold',
    what: 'a password in a sentence',
    keywords,
    pattern: new RegExp(`${password}${gives}(?:${QUOTED}|${BARE})`, 'gi'),
    accepts: (_, match) => isGiven(match, ends),
    catches: says.map((line) => line.replace('¤', 'Kestrel!83')),
    allows: harmless,
  };
}

/** Neither the start of a longer number nor a quantity. */
const NUMBER_ENDS = '(?![0-9A-Za-z\\u00c0-\\u024f]|[.,:/-][0-9]|%| ?(?:ms|px|mm|kB|KB|MB)\\b)';
const SHORT_GAP = '[^\\n.;?!0-9]{0,60}?';
const GIVES = `(?:\\s{0,2}[:=]\\s{0,2}|\\s{0,2}${IS_ANY}\\s{0,2})["'\`*]{0,3}$`;
/** What may stand between the name and a number. Russian needs no preposition and no verb. */
const PIN_GIVES = new RegExp(
  `^${PIN}(?:[- ]?(?:codes?|nummer|number|番号|번호|码|碼|код))?(?:${about(`${ABOUT_ANY}|[а-яё]{4,16}`)}${GIVES}|(?:\\s[а-яё]{2,16}){0,2}\\s["'\`*]{0,3}$)`,
);
const CODE_GIVES = new RegExp(
  `^${CODE}(?:${about(`${ABOUT_ANY}|[а-яё]{4,16}|[a-ząćęłńóśźż]{6,14}`)}${GIVES}|(?:\\s[а-яё]{2,16}){0,2}\\s["'\`*]{0,3}$)`,
  'i',
);
/** Numbers that name or count something, and grant no access. */
const OTHER_CODES =
  /\berr(?:or|eur|ore)?\b|fehler|exit|status|return|post|zip|area|country|país|ошиб|błęd|fout|错误|錯|エラー|오류|http|\bqr|bar ?code|char|product|color|source|邮|郵|우편/i;

/** The number or bullet of an item. */
const ITEM = '(?:(?:[0-9]{1,2}[.)]|[-*•]) )?';

/** Secrets stated in a sentence, in the languages of prose-words.ts. */
export const PROSE_RULES: readonly SecretRule[] = [
  ...PROSE_WORDS.map(passwordRule),
  {
    rule: 'prose-pin',
    severity: 'hold',
    what: 'a PIN in a sentence',
    keywords: ['pin', 'puk', 'пин', '暗証', '핀'],
    pattern: new RegExp(`${PIN}${SHORT_GAP}([0-9]{4,8}[#*]?)${NUMBER_ENDS}`, 'g'),
    accepts: (secret, { 0: whole, input, index }) => {
      const between = whole.slice(0, -secret.length);
      if (/^0?12345/.test(secret) || !PIN_GIVES.test(between)) return false;
      // The legs of a chip are called pins too.
      if (!/^pin\s["'`*]{0,3}$/.test(between)) return true;
      return /unlock|phone|card|alarm|tablet|laptop|door|\bsim|lock/i.test(input.slice(Math.max(0, index - 60), index));
    },
    catches: [
      'The alarm PIN is 4821.',
      'the laptop unlocks with the pin 5582',
      'Meine PIN für die Zeiterfassung: 302918',
      'ПИН-код сигнализации 5821',
      '警報の暗証番号は5821です。',
      '报警器的PIN码是5821。',
      'SIM: PIN 8820, PUK 55019374',
    ],
    allows: [
      'Pin 13 is the LED, pin 4821 does not exist on this board.',
      'The PIN has 4 digits, see PIN 2024-05',
      'Pin the version to 4.17.21.',
      'Der Fehlercode ist 4711, wenn die PIN falsch ist.',
    ],
  },
  {
    rule: 'prose-code',
    severity: 'hold',
    what: 'the code of a door, a safe or a device',
    keywords: [
      'code',
      'comb',
      'kod',
      'código',
      'codigo',
      'codice',
      'код',
      'コード',
      '番号',
      '코드',
      '密',
      '码',
      '비밀번호',
    ],
    pattern: new RegExp(
      `${CODE}${SHORT_GAP}([0-9]{4,8}[A-Z]?[#*]?|[0-9]{3}[#*]|[0-9]{1,3}[A-ZА-Я][0-9]{2,6}|[0-9]{2}(?:-[0-9]{2}){2,3})${NUMBER_ENDS}`,
      'gi',
    ),
    accepts: (secret, { 0: whole, input, index }) => {
      const between = whole.slice(0, -secret.length);
      const before = input.slice(Math.max(0, index - 24), index);
      if (!CODE_GIVES.test(between) || OTHER_CODES.test(before + between)) return false;
      // Without a verb, the word before must say what the code opens.
      const about = /^\S+\s["'`*]{0,3}$/.test(between) ? (/\S+[ -]?$/.exec(before)?.[0] ?? '') : before + between;
      return DOORS.test(about.replace(/^.*[.!?\n]/s, ''));
    },
    catches: [
      'The door code of the server room is 2580#.',
      'The combination to the safe is 42-17-63.',
      'Der Code für den Schlüsselkasten ist 8842.',
      'Le digicode est 3471A.',
      'El código de desbloqueo de la tableta es 0951.',
      'Kod do drzwi serwerowni to 2609#.',
      'Der Türcode zum Serverraum lautet 1973#.',
      'Код от домофона 47К2281.',
    ],
    allows: [
      'Exit code 1370 means that the lock was lost.',
      'The postal code of the building is 10115.',
      'Door codes change every quarter.',
      'The door sensor reports code 2001 when closed.',
      'The error code is 4021 when the alarm fails.',
      'The source code of the lock is 4000 lines.',
    ],
  },
  {
    rule: 'prose-login',
    severity: 'hold',
    what: 'a user and a password side by side',
    keywords:
      `credential|login|log-in|account|access|zugang|anmelde|identifiant|accès|credenc|acceso|acesso|credenz|accesso|inlog|dane |логин|данные|доступ|账号|帐号|登录|ログイン|アカウント|로그인|계정|přihl|user|benutzer|utilisateur|usu|utente|gebruiker|użytk|пользов|用户|ユーザー|아이디|log in|log on|sign in|sign on| pass `.split(
        '|',
      ),
    pattern: new RegExp(
      `(?:${LOGIN}${END}[^\\n:]{0,40}?:\\s{0,2}["'\`*]{0,2}[\\w.@+-]{2,60}["'\`*]{0,2}\\s{0,2}[/|]\\s{0,2}|${USER}${END}[:=]?\\s{1,2}["'\`*]{0,2}[\\w.@+-]{2,60}["'\`*]{0,2}[,;/]?\\s{1,2}(?:[a-zи]{1,3}\\s)?(?:pass|pw|mdp|pwd)[:=]?\\s{1,2}|(?:log|sign)[ -]?(?:in|on) (?:with|as|using) [\\w.@+-]{2,60}/|[,;/(] pass\\s)(?:(?!)()|${BARE})`,
      'gi',
    ),
    accepts: (_, match) => isSpoken(match[2] ?? '', true),
    catches: [
      'Credentials for the demo tenant: demo@corp.dev / Falcon#2024',
      'Zugangsdaten: admin / Herbst2023!',
      'as user deploy, pass Kestrel!83 on staging',
      'log in with admin/Sup3rAdm1n on the switch',
      'login SSID acme-5g / pass gr33nTea99',
      'ログイン情報：admin / Aki2023!',
    ],
    allows: [
      'Logins: dana / staging2',
      'the user passes 3 arguments',
      'Accounts: dev / prod',
      'user: dana pass: <password>',
    ],
  },
  {
    rule: 'recovery-codes',
    severity: 'hold',
    what: 'recovery codes of an account',
    keywords:
      'recovery|backup|scratch|rescue|emergency|wiederherst|ersatz|notfall|récup|secours|recup|respaldo|emergencia|seguran|riserva|herstel|back-up|odzysk|zapas|awaryj|восстан|резерв|恢复|备用|备份|リカバ|バックアップ|復旧|回復|복구|백업'.split(
        '|',
      ),
    pattern: new RegExp(
      `${RECOVERY_CODES}[^\\n:]{0,40}?(?:[:=\\n]|${IS_ANY})\\s{0,4}${ITEM}((?:[A-Za-z0-9]{4,6}[- ]?[A-Za-z0-9]{4,6}[,;、\\s]{1,3}${ITEM}(?:[a-zи]{1,3} )?){1,15}[A-Za-z0-9]{4,6}[- ]?[A-Za-z0-9]{4,6})`,
      'gi',
    ),
    accepts: (secret) => (secret.match(/[A-Za-z0-9]*[0-9][A-Za-z0-9]*[- ]?[A-Za-z0-9]{3,6}/g)?.length ?? 0) >= 2,
    catches: [
      'Recovery codes: 4f9a-22kd, 8zq1-m3xp, c07w-9hty',
      'My backup codes are 8841 2097, 5530 1846 and 9172 6603.',
      'Códigos de recuperación: 7h2k-9fm1, 3xp8-qq4z',
      '恢复代码：7h2k-9fm1、3xp8-qq4z',
      'BACKUP CODES\n1. 8f3k-22lm\n2. 9d2x-77qp\n3. 1a2b-3c4d',
    ],
    allows: ['Recovery codes: keep them safe, never share them.', 'Backup codes are printed once in room 2140.'],
  },
  {
    rule: 'prose-passphrase',
    severity: 'hold',
    what: 'a passphrase in a sentence',
    keywords: ['phrase', 'frase', 'zin', 'фраза'],
    pattern:
      /(?:[Pp]ass-?phrase|[Pp]hrase (?:de passe|secrète)|[Ff]rase (?:de contraseña|secreta|segreta)|[Ww]achtwoordzin|[Пп]арольная фраза)(?![\w\u00aa-\u1fff])[^\n:]{0,40}?(?::| is| lautet| est| es| é| è| —)\s{1,2}((?:[a-zß-ɏа-яё]{2,12} ){3,7}[a-zß-ɏа-яё]{2,12})(?=\.?\s{0,2}(?:\n|$))/g,
    accepts: (secret) =>
      !/\b(?:the|and|for|with|that|not|you|your|is|are|be|will|when|if|to|enter|used)\b/i.test(secret),
    catches: ['passphrase for the signing key: seven grey kettles under water'],
    allows: [
      '(passphrase_to_dek): remove this obsolete prototype',
      'passphrase: the words that you enter when it starts',
      'The passphrase: ask Dana',
    ],
  },
];
