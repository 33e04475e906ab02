import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idOfStem, issueId, type MemoryId, parseId, quarantineStem, typeOfId } from '../../../src/core/memory/ids.ts';
import { TYPES } from '../../../src/core/memory/limits.ts';
import { sampleToken } from '../../../src/core/secrets/sample-tokens.ts';

const issue = (name: string, taken: readonly string[] = []) => issueId('user', name, (id) => taken.includes(id));
const slug = (name: string) => issue(name).slice('user_'.length);
const shortHash = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8);

describe('an id is made from the name', () => {
  // Each letter of the Russian alphabet as the table in ids.ts spells it; й has a decomposition, as ё has.
  test('every Cyrillic letter is spelled', () => {
    expect(slug('а б в г д е ё ж з и й к л м н о п р с')).toBe('a_b_v_g_d_e_e_zh_z_i_y_k_l_m_n_o_p_r_s');
    expect(slug('т у ф х ц ч ш щ ы э ю я і ї є ґ ў')).toBe('t_u_f_kh_ts_ch_sh_shch_y_e_yu_ya_i_i_ye_g_u');
  });

  test.each([
    ['Prefers tabs over spaces', 'prefers_tabs_over_spaces'],
    ['Straße, Öl & Übermut', 'strasse_ol_ubermut'],
    ['Größe GROẞ', 'grosse_gross'],
    ['Zażółć gęślą jaźń', 'zazolc_gesla_jazn'],
    ['Сборка идёт на двух ядрах', 'sborka_idet_na_dvukh_yadrakh'],
    ['Щука, ЮЖНЫЙ объект', 'shchuka_yuzhnyy_obekt'],
    ['Її ґанок', 'ii_ganok'],
    ['Η ομάδα δουλεύει', 'i_omada_doyleyei'],
    ['Ὀδυσσεύς', 'odysseys'],
    ['Tiếng Việt: đường phố', 'tieng_viet_duong_pho'],
    ['naïve café № 5 ™ Ⅳ', 'naive_cafe_no_5_tm_iv'],
    ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full_width'],
    ['React.FC / user_id / .env', 'react_fc_user_id_env'],
    ['--- trust-level: verified', 'trust_level_verified'],
    ['../../etc/passwd', 'etc_passwd'],
    ['a\u0000b\nc', 'a_b_c'],
    ['한국어 이름', 'hangugeo_ireum'],
    ['빌드 시간', 'bildeu_sigan'],
    ['서울 밖 값을 없앤다', 'seoul_bak_gapseul_eopsaenda'],
    ['React를 씁니다', 'reactreul_sseupnida'],
    ['サーバー', 'saba'],
    ['ﾃｽﾄ ｻｰﾊﾞｰ', 'tesuto_saba'],
    ['きょうのビルド', 'kyounobirudo'],
    ['ロック・マッチ・ちゃんと', 'rokku_matchi_chanto'],
    ['ファイル ウィンドウ ディスク ジェット デュアル', 'fairu_windou_disuku_jetto_dyuaru'],
    ['Docker の設定', 'docker'],
    ['テスト環境の設定', 'tesuto'],
  ])('%j becomes %s', (name, expected) => {
    expect(slug(name)).toBe(expected);
  });

  test.each(['日本語', '日本語の名前', 'ไทย', 'हिन्दी', '🙂🙂', '***', '—', ''])(
    'a name with no letter that can be spelled gets a short hash: %j',
    (name) => {
      expect(slug(name)).toBe(shortHash(name));
    },
  );

  test('two names without letters get two ids', () => {
    expect(slug('日本語')).not.toBe(slug('中国語'));
  });

  test('at most 48 characters follow the type, and the cut leaves no loose end', () => {
    const long = issue(`${'x'.repeat(47)} ${'y'.repeat(60)}`);
    expect(long).toBe(`user_${'x'.repeat(47)}`);
    expect(issue('ab '.repeat(100)).length).toBeLessThanOrEqual('user_'.length + 48);
  });

  const TOKEN = sampleToken(36, 'abcdefghijklmnopqrstuvwxyz0123456789');

  test('a token is no id, wherever it stands in one, and no name becomes one', () => {
    for (const stem of [`user_ghp_${TOKEN}`, `user_about_ghp_${TOKEN}`, `user_ghp_${TOKEN}~2`]) {
      expect([stem, parseId(stem), idOfStem(stem)]).toEqual([stem, undefined, undefined]);
    }
    expect(issue(`ghp ${TOKEN}`)).toBe('user_ghp');
    // No secret while it is two words, and a token once the words are joined.
    expect(issue('ghp correcthorsebatterystaple7goodenough')).toBe('user_memory');
    expect(parseId(`user_${sampleToken(40, '0123456789abcdef')}`)).toBeDefined();
    expect(parseId('user_k8s_1_29_upgrade_2024_10')).toBeDefined();
  });

  test('what may be a secret is in no id, not even as a hash', () => {
    expect(issue('My password is hunter2xyz')).toBe('user_my_password_is');
    expect(issue('PIN of the door: 4711')).toBe('user_pin_of_the_door');
    expect(issue(`api_key=${TOKEN}`)).not.toContain(TOKEN.slice(0, 6));
    expect(issue('Passwords are rotated every 90 days')).toBe('user_passwords_are_rotated_every_90_days');
    expect(issue(sampleToken(40, 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'))).toBe('user_memory');
  });

  test('a name that is taken gets _2, then _3, and a long one makes room for it', () => {
    expect(issue('Same', ['user_same'])).toBe('user_same_2');
    expect(issue('Same', ['user_same', 'user_same_2'])).toBe('user_same_3');
    const full = `user_${'x'.repeat(48)}`;
    expect(issue('x'.repeat(80), [full])).toBe(`user_${'x'.repeat(46)}_2`);
  });

  test('always is an id of its type, within the length, and never one that is taken', () => {
    const names = fc.oneof(fc.string({ unit: 'binary', maxLength: 120 }), fc.lorem({ maxCount: 12 }), fc.constant('x'));
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), names, fc.nat({ max: 12 }), (type, name, times) => {
        const taken = new Set<string>();
        for (let i = 0; i <= times; i++) {
          const id = issueId(type, name, (each) => taken.has(each));
          expect(taken.has(id)).toBe(false);
          taken.add(id);
          expect(parseId(id)).toBe(id);
          expect(typeOfId(id)).toBe(type);
          expect(id.length).toBeLessThanOrEqual(type.length + 1 + 48);
          expect(id.startsWith(`${type}_`)).toBe(true);
        }
      }),
    );
  });

  test('the same name gives the same id however its letters are composed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        const [composed, apart] = [slug(name.normalize('NFC')), slug(name.normalize('NFD'))];
        if (/[^0-9a-f]/.test(composed)) expect(apart).toBe(composed);
      }),
    );
  });
});

describe('nothing else is an id', () => {
  const NOT = [
    '',
    '.',
    '..',
    '../x',
    'user_../x',
    'user_a/b',
    'user_a\\b',
    '/etc/passwd',
    'C:\\x',
    'user_a:b',
    'user_%2e%2e',
    '%2e%2e',
    'user_a\nb',
    'user_a\n',
    '\nuser_a',
    'user_a\u0000',
    'user_a\u0000.md',
    'user_a b',
    ' user_a',
    'user_a ',
    'user_a.',
    'user_a.md',
    'user_A',
    'User_a',
    'USER_A',
    'user_\u0430',
    'user_é',
    'user_ａ',
    'user_a\u200B',
    'user_a\u202E',
    'user_ſ',
    'user_a-b',
    'user_a~2',
    'user_*',
    'user_?',
    'user_a|b',
    'user_<a>',
    'user_"a"',
    'user_$(id)',
    'user_',
    'user',
    '_user_a',
    'memory_a',
    'CON',
    'con',
    'nul.md',
    'aux',
    'com1',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'MEMORY',
    `user_${'a'.repeat(300)}`,
    `user_${'a'.repeat(116)}`,
  ];
  test.each(NOT)('%j', (text) => {
    expect(parseId(text)).toBeUndefined();
  });

  test('and of any text, only type, underscore and lower-case letters, digits or underscores is one', () => {
    const nearly = fc.tuple(
      fc.constantFrom(...TYPES, 'x', ''),
      fc.constantFrom('_', '-', ''),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          nearly.map((parts) => parts.join('')),
          fc.string(),
        ),
        (text) => {
          const shaped = TYPES.some((type) => {
            const rest = text.startsWith(`${type}_`) ? [...text.slice(type.length + 1)] : [];
            return rest.length > 0 && rest.every((c) => 'abcdefghijklmnopqrstuvwxyz0123456789_'.includes(c));
          });
          expect(parseId(text)).toBe(shaped ? text : undefined);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('a name in quarantine', () => {
  test('that is taken gets ~2, ~3 …, and stands for its id still', () => {
    const taken = new Set<string>();
    for (let i = 0; i < 12; i++) taken.add(quarantineStem('user_a', (stem) => taken.has(stem)));
    expect([...taken].slice(0, 3)).toEqual(['user_a', 'user_a~2', 'user_a~3']);
    for (const stem of taken) expect(idOfStem(stem)).toBe('user_a' as MemoryId);
  });

  test.each([
    'user_a~',
    'user_a~1',
    'user_a~0',
    'user_a~02',
    'user_a~2~3',
    'user_a~x',
    '~2',
    'user_a~2/..',
    'user_a~2\n',
  ])('%j is the name of none', (stem) => {
    expect(idOfStem(stem)).toBeUndefined();
  });
});
