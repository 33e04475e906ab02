import { once } from '../once.ts';

/** Words that are in every text, so that searching for them is pointless. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being between both but by can could did do does doing
  during each for from had has have having he her here hers him his how i if in into is it its itself just me might more most
  must my no nor not of off on once only or other our out over own s same she should so some such t than that the their theirs
  them then there these they this those through to too under until up us very was we were what when where which while who
  whom why will with would yes you your yours d ll m re ve dont didnt doesnt isnt arent wasnt cant couldnt wont`.split(
    /\s+/,
  ),
);

/** The plain form first, then the forms that no rule reduces to it. */
const FORMS = `arise arose arisen|bear bore borne|beat beaten|become became|begin began begun|bend bent|bet bets|bind bound|
bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|
catch caught|child children|choose chose chosen|cling clung|come came|creep crept|criterion criteria|deal dealt|die died dying|
dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|
fight fought|find found|flee fled|fling flung|fly flew flown|foot feet|forbid forbade forbidden|forget forgot forgotten|
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone goes|goose geese|grind ground|
grow grew grown|half halves|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|knife knives|know knew known|
lay laid|lead led|leaf leaves|leap leapt|learn learnt|leave left|lend lent|lie lying|life lives|light lit|loaf loaves|
lose lost|make made|man men|mean meant|medium media|meet met|mouse mice|pay paid|person people|prove proven|ride rode ridden|
ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|
shelf shelves|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|
slide slid|speak spoke spoken|speed sped|spell spelt|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen|
stick stuck|sting stung|strike struck stricken|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|
take took taken|teach taught|tear tore torn|tell told|thief thieves|think thought|throw threw thrown|tie tying|tooth teeth|
understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept|wife wives|win won|wind wound|wolf wolves|
woman women|write wrote written|far farther farthest further|index indices indexes|
matrix matrices|vertex vertices|analysis analyses|crisis crises|hypothesis hypotheses|schema schemata|datum data|
mother mom mum mommy|father dad daddy|photograph photo photos|bicycle bike bikes|television tv|documentation doc docs|
repository repo repos|configuration config configs|environment env envs|database db dbs|kubernetes k8s|directory dir dirs|
javascript js|typescript ts|delete deletion|marry married marriage|believe belief|choose choice choices|
lose loss losses|grow growth|live living|advise advice|fly flight|sell sale sales|sing song songs|decide decision decisions`;

/** Form → plain form, for stored texts and queries alike. */
export const irregularForms = once(
  (): ReadonlyMap<string, string> =>
    new Map(
      FORMS.split('|').flatMap((line) => {
        const [plain = '', ...forms] = line.trim().split(/\s+/);
        return forms.map((form) => [form, plain] as const);
      }),
    ),
);

/** Words that belong to asking and not to the subject: they count less. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `kind kinds type types sort sorts many much long often likely ever like name names named thing things something anything
  someone way ways get got gets go goes going went make makes made say said says tell told use uses used using new recently
  currently current different specific certain particular according mention mentioned one two first last time times day days
  year years`.split(/\s+/),
);
