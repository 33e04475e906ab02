import { unmask } from './fold.ts';

/** “Ignore the previous instructions” as it is said elsewhere; what is to be ignored must be instructions. */
const OVERRIDES: readonly string[] = [
  // German
  '\\b(?:vergiss|vergesst|ignoriere|ignoriert|missachte)\\s(?:[\\wäöüß]{1,20}\\s){0,3}?(?:alle[sn]?|vorherigen?|bisherigen?|obigen?|anweisungen)\\b',
  '\\b(?:vorherigen?|bisherigen?|obigen?|vorangegangenen?|fr[uü]heren?)\\s(?:anweisungen|instruktionen|ausf[uü]hrungen|befehle|vorgaben|aufgaben)\\s(?:[\\wäöüß]{1,20}\\s){0,4}?(?:zu\\s)?(?:ignorieren|vergessen|missachten|streichen)\\b',
  '\\babweichend (?:zu|von) (?:den )?(?:vorherigen|bisherigen|obigen) (?:anweisungen|instruktionen|vorgaben)',
  // Spanish, Italian, Portuguese, French
  '\\b(?:ignora|olvida|omite|descarta)\\s(?:[\\wáéíóú]{1,20}\\s){0,4}?(?:instrucciones|anteriores|istruzioni|precedenti)',
  '\\b(?:dimentica|tralascia)\\s(?:\\w{1,20}\\s){0,3}?(?:istruzioni|precedenti)',
  '\\b(?:ignore|esque[cç]a|desconsidere)\\s(?:\\w{1,20}\\s){0,3}?(?:instru[cç][oõ]es|anteriores)',
  '\\b(?:ignore[rz]?|oublie[rz]?)\\s(?:[\\wéèà]{1,20}\\s){0,3}?(?:consignes|pr[eé]c[eé]dentes)',
  // Dutch, Polish, Croatian, Turkish, Indonesian, Vietnamese
  '\\b(?:negeer|vergeet)\\s(?:\\w{1,20}\\s){0,3}?(?:instructies|opdrachten)\\b',
  '\\b(?:zignoruj|zapomnij|pomi[nń])\\s(?:[\\wąęłńóśźż]{1,20}\\s){0,3}?(?:instrukcje|polecenia)',
  '\\b(?:zaboravi|zanemari)\\s(?:\\w{1,20}\\s){0,3}?(?:instrukcije|upute)',
  '[oö]nceki\\s(?:[\\wçğışöüı]{1,20}\\s){0,2}?(?:talimatlar|y[oö]nergeler)[\\wı]{0,4}\\s(?:yok say|unut|g[oö]rmezden gel|dikkate alma)',
  '\\babaikan\\s(?:\\w{1,20}\\s){0,3}?(?:instruksi|perintah)',
  'b[oỏ] qua (?:\\S{1,12} ){0,4}?(?:h[uư][oớ]ng d[aẫ]n|ch[iỉ] th[iị])',
  // Russian and Ukrainian
  '(?:игнорируй|проигнорируй|забудь|ігноруй)(?:те)?\\s(?:[\\p{L}]{1,20}\\s){0,3}?(?:инструкции|указания|інструкції|вказівки)',
  // Hindi, Arabic
  '(?:पिछले|पिछली|पूर्व|उपरोक्त)\\s(?:\\S{1,12}\\s){0,2}?(?:निर्देशों|निर्देश|आदेशों)\\s(?:\\S{1,6}\\s)?(?:अनदेखी|अनदेखा|नज़रअंदाज़|भूल)',
  '(?:تجاهل|تجاهلي|انس|أهمل)\\s(?:\\S{1,12}\\s){0,2}?(?:التعليمات|الأوامر|الإرشادات)',
  // Chinese, Japanese, Korean
  '(?:忽略|无视|無視|忘记|忘記|忘掉)(?:掉|你)?(?:所有|全部|一切)?(?:的)?(?:之前|以前|以上|前面|上面|上述|先前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|说明|說明|提示|命令|规则|規則|内容|對話|对话)',
  '(?:以前|前|上記|これまで|今まで|以上|先)(?:まで)?の(?:すべての|全ての|全)?(?:指示|命令|プロンプト|説明|ルール)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)',
  '(?:이전|위|앞|지금까지)(?:의)?\\s?(?:모든\\s)?(?:지시|명령|지침)(?:사항)?(?:들)?(?:을|를)?\\s?(?:모두\\s)?(?:무시|잊)',
];

/** Look-alike letters are undone in the text, so they are undone here as well. */
export const FOREIGN_OVERRIDES: readonly RegExp[] = OVERRIDES.map((source) => new RegExp(unmask(source), 'gmu'));
