/** How one language says that something is a password. Pattern sources, matched case-insensitively. */
export interface ProseWords {
  readonly language: string;
  /** In lower case. A text without any of these contains none of the names below. */
  readonly keywords: readonly string[];
  /** Names for a password. They may end a compound: “WLAN-Passwort”. */
  readonly password: string;
  /** What may follow the name before the verb: “for the printer”. Empty in scripts without spaces. */
  readonly about: string;
  /** What introduces the value: “is”, “is still”. */
  readonly is: string;
  /** What introduces the new value after a verb of change: “to”. */
  readonly to: string;
  /** Sentences with `¤` in place of a password, and sentences without a password. */
  readonly says: readonly string[];
  readonly harmless: readonly string[];
}

export const PROSE_WORDS: readonly ProseWords[] = [
  {
    language: 'English',
    keywords: ['passw', 'passphrase', 'passcode', 'pwd', 'pw', 'fi key', 'fi code', 'fi pass', 'lan key', ' word'],
    password:
      '(?:password|passphrase|passcode|passwd|\\bpwd|\\bpw\\b|wi-?fi (?:key|code|pass)|wlan key|(?:secret|code|safe) word)',
    about: 'for|of|on|to|at|in|from|we|i',
    is: "(?:is|was|are|it's|it is|has been|remains|equals)(?: (?:now|still|currently|set to|changed to|reset to)){0,2}",
    to: 'to',
    says: [
      'The wifi password for guests is still ¤.',
      'The root pw on the jump host is ¤',
      'login admin, password ¤ on the router',
    ],
    harmless: [
      'The password is in 1Password under Staging-2024.',
      'The password field is user_pwd2.',
      'Passwords of at least 12 characters',
      'That password is wrong!',
      'il file delle password\n"DESCRIZIONE"',
    ],
  },
  {
    language: 'German',
    keywords: ['passwort', 'kennwort', 'passphrase', 'losungswort', 'lüssel', 'codewort'],
    password: '(?:passwort|kennwort|passphrase|losungswort|wlan-?schlüssel|codewort)',
    about: 'wurde|für|fürs|zum|zur|vom|von|des|der|im|am|auf|beim|bei|dazu|hier',
    is: '(?:ist|lautet|war|heißt|bleibt|haben wir|nehmen wir)(?: (?:jetzt|noch|immer noch|weiterhin|aktuell)){0,2}',
    to: 'auf|zu|in',
    says: ['Das WLAN-Passwort im Büro lautet ¤.', 'Benutzer wartung, Kennwort ¤'],
    harmless: ['Das Kennwort wird mit SHA-256 gehasht.', 'Das Passwort liegt in 1Password unter Staging-2024.'],
  },
  {
    language: 'French',
    keywords: ['mot de passe', 'mdp', 'phrase', 'clé', 'mot secret'],
    password: '(?:mot de passe|\\bmdp\\b|phrase (?:de passe|secrète)|clé (?:du )?wi-?fi|mot secret)',
    about: "a|du|de|des|d'|pour|sur|à|au|aux",
    is: "(?:est|était|reste|c'est|sera)(?: (?:toujours|encore|maintenant|désormais)){0,2}",
    to: 'en|à|par',
    says: [
      'Le mot de passe du wifi est ¤.',
      "Le mdp de l'imprimante, c'est ¤",
      'Le mot de passe a été changé en ¤',
      'mot de passe wifi : ¤',
    ],
    harmless: ['Le mot de passe est chiffré avec AES-256.', 'Le mot de passe est dans 1Password, coffre Staging-2024.'],
  },
  {
    language: 'Spanish',
    keywords: ['contrase', 'clave', 'frase', 'palabra secreta'],
    password: '(?:contrase[ñn]a|\\bclave\\b|frase (?:de contraseña|secreta|de paso)|palabra secreta)',
    about: 'ha|fue|del|de|para|en|al',
    is: '(?:es|era|sigue siendo|será)(?: (?:todavía|aún|ahora|siempre)){0,2}',
    to: 'a|por',
    says: ['La contraseña del wifi es ¤.', 'Entra con el usuario dana, contraseña ¤'],
    harmless: [
      'La clave primaria es user_id2 en esa tabla.',
      'si la clave «logout_enable» está activada',
      'La contraseña es cifrada con bcrypt-12.',
    ],
  },
  {
    language: 'Portuguese',
    keywords: ['senha', 'palavra', 'frase', 'chave'],
    password: '(?:\\bsenha|palavra-passe|frase(?:-senha| secreta)|palavra secreta|chave do wi-?fi)',
    about: 'foi|do|da|de|dos|das|para|no|na',
    is: '(?:é|era|continua sendo|continua|ainda é|será)(?: (?:ainda|agora|sempre)){0,2}',
    to: 'para|por',
    says: ['A senha do wifi é ¤.', 'A palavra-passe da impressora é ¤'],
    harmless: ['A senha é criptografada com bcrypt-12.', 'A senha está no 1Password, cofre Staging-2024.'],
  },
  {
    language: 'Italian',
    keywords: ['password', 'parola', 'frase', 'passphrase', 'chiave'],
    password: "(?:password|parola d'ordine|parola segreta|frase segreta|passphrase|chiave (?:del )?wi-?fi)",
    about: "è|del|della|dello|dell'|dei|delle|di|per|sul|al|alla",
    is: '(?:è|era|resta|rimane|sarà)(?: (?:ancora|sempre|adesso|ora)){0,2}',
    to: 'in|a|con',
    says: ['La password del wifi è ¤.', "La parola d'ordine della stampante è ¤"],
    harmless: ['La password è cifrata con bcrypt-12.', 'La password è in 1Password, cassaforte Staging-2024.'],
  },
  {
    language: 'Dutch',
    keywords: ['wachtwoord', 'sleutel', 'codewoord'],
    password: '(?:wachtwoord(?:zin)?|wifi-?sleutel|codewoord)',
    about: 'is|werd|van|voor|op|bij|in|naar|om',
    is: '(?:is|was|blijft|luidt)(?: (?:nog|nog steeds|nog altijd|nu|steeds)){0,2}',
    to: 'in|naar',
    says: ['Het wachtwoord van de printer is ¤.', 'Log in met gebruiker beheer, wachtwoord ¤'],
    harmless: ['Het wachtwoord is gehasht met bcrypt-12.', 'Het wachtwoord staat in 1Password, kluis Staging-2024.'],
  },
  {
    language: 'Polish',
    keywords: ['hasł', 'hasl', 'klucz'],
    password: '(?:has[łl](?:o|em|a)\\b|klucz wi-?fi)',
    about: 'do|dla|od|na|w|[a-ząćęłńóśźż]{4,16}',
    is: '(?:to|jest|brzmi|było|pozostaje)(?: (?:nadal|wciąż|teraz|ciągle)){0,2}',
    to: 'na',
    says: ['Hasło do wifi to ¤.', 'Hasło routera to nadal ¤'],
    harmless: ['Hasło jest szyfrowane przez bcrypt-12.', 'Hasło jest w 1Password, sejf Staging-2024.'],
  },
  {
    language: 'Russian and Ukrainian',
    keywords: ['парол', 'кодовое'],
    password: '(?:парол[ьяюе]м?(?: [а-яё]{4,16}){0,2}|парольная фраза|кодовое слово)',
    about: 'от|для|к|на|в|до|від|[а-яёіїє]{4,16}',
    is: '(?:—|–|-|это|теперь|остаётся|остается|такой|був|є|вс[её] ещ[её]|по-прежнему|досі)(?: (?:вс[её] ещ[её]|такой|теперь|пока)){0,2}',
    to: 'на',
    says: [
      'Пароль от вайфая: ¤.',
      'Пароль роутера всё ещё ¤',
      'Заходи под service, пароль ¤',
      'Пароль администратора ¤',
    ],
    harmless: ['Пароль хешируется через bcrypt-12.', 'Пароль лежит в 1Password, сейф Staging-2024.'],
  },
  {
    language: 'Chinese',
    keywords: ['密码', '密碼', '口令', '暗号'],
    password: '(?:密码|密碼|口令|暗号)',
    about: '',
    is: '(?:还是|還是|仍是|仍然是|就是|是|为|為)',
    to: '成|为|為|到',
    says: ['办公室的wifi密码是¤。', '用账号 weihu 登录，密码 ¤。'],
    harmless: ['密码用bcrypt-12加密后保存。', '账号密码在1Password的Staging-2024保险库里。'],
  },
  {
    language: 'Japanese',
    keywords: ['パス', '合言葉', '合い言葉'],
    password: '(?:パスワード|パスフレーズ|合言葉|合い言葉)',
    about: '',
    is: '(?:は|が|も)(?: ?(?:まだ|今も|いまも|現在))?',
    to: 'を',
    says: ['プリンターのパスワードは ¤ です。', 'ユーザー名 hoshu、パスワード ¤ でログイン'],
    harmless: ['パスワードはbcrypt-12でハッシュ化されます。', 'パスワードは1PasswordのStaging-2024にあります。'],
  },
  {
    language: 'Korean',
    keywords: ['비밀번호', '암호', '비번', '패스워드'],
    password: '(?:비밀번호|암호|비번|패스워드)',
    about: '',
    is: '(?:는|은|가|이)(?: ?(?:아직|여전히|지금))?',
    to: '를|을',
    says: ['사무실 와이파이 비밀번호는 ¤입니다.', '아이디 jeongbi, 비밀번호 ¤ 로 로그인하세요.'],
    harmless: ['비밀번호는 bcrypt-12로 해시됩니다.', '비밀번호는 1Password의 Staging-2024에 있습니다.'],
  },
  {
    language: 'Swedish, Danish and Norwegian',
    keywords: ['lösenord', 'adgangskode', 'kodeord', 'passord'],
    password: '(?:lösenord(?:et)?|adgangskode(?:n)?|kodeord(?:et)?|passord(?:et)?)',
    about: 'till|för|på|til|for|i',
    is: '(?:är|er|var)(?: (?:fortfarande|stadig|fortsatt|nu)){0,2}',
    to: 'till|til',
    says: ['Lösenordet till skrivaren är ¤.', 'Adgangskoden til printeren er stadig ¤'],
    harmless: ['Lösenordet är hashat med bcrypt-12.'],
  },
  {
    language: 'Czech, Turkish, Romanian, Hungarian and Finnish',
    keywords: ['heslo', 'şifre', 'parola', 'jelsz', 'salasana'],
    password: '(?<![\\w\\u00aa-\\u024f])(?:heslo|şifre(?:si)?|parola(?:sı)?|jelszó|jelszava|salasana)',
    about: 'k|na|do|pro|de|la|pentru|a|az',
    is: '(?:je|este|e|on|az)(?: (?:stále|încă|edelleen|hala)){0,2}',
    to: 'na|în|olarak',
    says: ['Heslo k tiskárně je ¤.', 'Wifi şifresi: ¤', 'Parola de la imprimantă este ¤'],
    harmless: ['Heslo je hashované pomocí bcrypt-12.'],
  },
];

/** Verbs of change. One of them must be near a password that “to” introduces. */
export const CHANGED =
  /\b(?:set|chang|reset|switch|updat|geändert|gesetzt|änder|chang|modifi|cambi|mud|alter|troc|imposta|gewijzig|verander|zmieni|ustawi)|смени|изменил|поменял|改|変更|바꿨|변경|ändra|ændre|endre|změn|değiştir|schimbat/i;

/** Words of a sentence that names a network's password. */
export const WIFI = /wi-?fi|wlan|wireless|hotspot|ssid|вай-?фай|无线|無線|ワイファイ|와이파이|무선/i;

/** What a code opens. */
export const DOORS =
  /door|gate\b|alarm|unlock|\block|safe\b|keypad|garage|\bentry|entrance|building|disarm|tür|\btor\b|schlüssel|tresor|entsperr|zugang|eingang|porte|portail|accès|coffre|immeuble|digicode|déverrou|puerta|portón|desbloqueo|caja fuerte|acceso|porta\b|portão|cofre|desbloqueio|cancello|allarme|sblocco|cassaforte|accesso|deur|poort|kluis|ontgrendel|toegang|drzwi|bram[ay]|domofon|odblokow|sejf|двер|ворот|домофон|разблок|сейф|сигнализац|подъезд|门|開|锁|保险|ドア|扉|ロック|金庫|解錠|入口|현관|출입|금고|잠금|dörr|lås|dør|kapı|dveř/i;

/** Words for codes in these languages, and what introduces their value. */
export const CODE =
  '(?:codes?|combination|combo|kode|kod|kodu|c[óo]digo|codice|код(?:ом)?|コード|番号|코드|密码|密碼|码|碼|비밀번호)';
export const PIN = '(?:(?<![\\w\\u00aa-\\u052f])(?:PIN|PUK|pin|ПИН|пин)|暗証|핀)';
export const IS_ANY =
  "(?:is|was|are|it's|ist|lautet|est|c'est|es|é|è|to|jest|—|–|-|это|是|为|為|は|는|은|är|er|je|este|=|:)";
export const ABOUT_ANY =
  "(?:for|of|on|to|at|in|für|zum|zur|vom|von|des|der|im|am|auf|beim|du|de|d'|pour|sur|del|della|dell'|di|per|do|da|dos|das|no|na|van|voor|op|bij|dla|od|от|для|к|на|в|till|til|k)";

/** Recovery codes that replace a second factor, in these languages. */
export const RECOVERY_CODES =
  '(?:(?:recovery|backup|scratch|rescue|emergency)[ -]?codes?|wiederherstellungs-?codes?|(?:backup|ersatz|notfall)-?codes?|codes? de (?:récupération|secours)|c[óo]digos? de (?:recuperaci[óo]n|recupera[çc][ãa]o|respaldo|emergencia|backup|seguran[çc]a)|codic[ei] di (?:recupero|backup|riserva)|herstelcodes?|back-?upcodes?|kod(?:y|ów)? (?:odzyskiwania|zapasow\\S{1,3}|awaryjn\\S{1,3})|код\\S{0,3} восстановления|резервн\\S{1,3} код\\S{0,3}|恢复(?:代)?码|恢复代码|备用(?:验证)?码|备份(?:代)?码|リカバリーコード|バックアップコード|復旧コード|回復コード|복구 ?코드|백업 ?코드)';

/** Names for a user and a password, side by side. */
export const LOGIN =
  '(?:credentials?|logins?|log-?in|accounts?|access|zugangsdaten|anmeldedaten|zugang|identifiants?|accès|credenciales|acceso|credenciais|acesso|credenziali|accesso|inloggegevens|dane (?:logowania|dostępowe)|логин(?: и пароль)?|учётные данные|доступ|账号|帐号|登录信息|ログイン情報|アカウント|로그인 정보|계정|inloggning|přihlašovací údaje)';
export const USER =
  '(?:user(?:name)?|login|benutzer(?:name)?|utilisateur|identifiant|usuario|usuário|utente|gebruiker|użytkownik|пользовател\\S{0,3}|логин|账号|用户名|ユーザー名|아이디)';
