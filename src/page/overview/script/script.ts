import { PASSKEY_JS } from '../../passkeys/script.ts';
import { SCRIPT_WORDS } from '../home-view.ts';
import { ANSWERS_JS } from './answers.ts';
import { KEYS_JS } from './keys.ts';
import { LIST_JS } from './list.ts';
import { LIVE_JS } from './live.ts';
import { SHEET_JS } from './sheet.ts';
import { STATE_JS } from './state.ts';

/** The overview's only script. */
export const OVERVIEW_JS = `'use strict';
(() => {
const WORDS = ${JSON.stringify(SCRIPT_WORDS)};
${PASSKEY_JS}
${STATE_JS}${LIST_JS}${SHEET_JS}${ANSWERS_JS}${LIVE_JS}${KEYS_JS}})();
`;
