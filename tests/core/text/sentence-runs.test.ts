import { expect, test } from 'vitest';
import { asksToRemember, asRun, sentenceRuns } from '../../../src/core/text/sentence-runs.ts';

const has = (prompt: string, body: string) => {
  const run = asRun(body);
  return run !== undefined && sentenceRuns(prompt).includes(run);
};

test.each([
  ['Remember: we deploy only on weekdays.', 'We deploy only on weekdays.'],
  ['remember: we deploy only on weekdays', 'We deploy only on weekdays.'],
  ['remember that we deploy only on weekdays', 'We deploy only on weekdays.'],
  ['Please remember that we deploy only on weekdays.', 'We deploy only on weekdays.'],
  ['remember that we deploy only on weekdays', 'Remember that we deploy only on weekdays.'],
  ['Mend the build. And remember that we deploy only on weekdays. Thanks!', 'We deploy only on weekdays.'],
  ['Remember that we deploy on weekdays. Never on Fridays.', 'We deploy on weekdays. Never on Fridays.'],
  ['Recuerda que desplegamos solo los martes', 'Desplegamos solo los martes.'],
  ['Merk dir: wir deployen nur dienstags', 'Wir deployen nur dienstags.'],
  ['/surety:remember we deploy only on weekdays', 'We deploy only on weekdays.'],
  ['/mcp__surety__remember we deploy only on weekdays', 'We deploy only on weekdays.'],
  [
    'Please fix it. We deploy only on weekdays. Never on Fridays after four. Thanks!',
    'We deploy only on weekdays. Never on Fridays after four.',
  ],
  ['- the port is 4711 here\n- the host is called gamma', '- the port is 4711 here\n- the host is called gamma'],
  ['We  deploy\tonly on\nweekdays of course', 'We deploy only on weekdays of course'],
  ['我们只在工作日部署。其他时候不行。', '我们只在工作日部署'],
  ['Two things.\nwe deploy only on weekdays.\nwe never use tabs', 'we deploy only on weekdays.'],
  ['Two things:\nwe deploy only on weekdays', 'we deploy only on weekdays'],
  ['In this order\n1. Build the whole thing.\n2. Then deploy all of it.', '2. Then deploy all of it.'],
  ['The port is 4711 here\nThe host is called gamma', 'The host is called gamma'],
  ['你好。我们只在工作日部署。其他时候不行。', '我们只在工作日部署。其他时候不行。'],
])('%j holds the whole text %j', (prompt, body) => {
  expect(has(prompt, body)).toBe(true);
});

test.each([
  ['We deploy only on weekdays.', 'We never deploy only on weekdays.'],
  ['Do we deploy only on weekdays?', 'Do we deploy only on weekdays.'],
  ['Do not remember that we deploy on weekdays.', 'We deploy on weekdays.'],
  ['Do you remember that we deploy on weekdays', 'We deploy on weekdays.'],
  ['remember that we deploy on weekdays?', 'We deploy on weekdays.'],
  ['I remember that we deploy on weekdays.', 'We deploy on weekdays.'],
  ['It is not true that we deploy on weekdays.', 'we deploy on weekdays'],
  ['It is not true that\nwe deploy on weekdays.', 'we deploy on weekdays'],
  ['Under no circumstances,\nDeploy on a Friday evening.', 'Deploy on a Friday evening.'],
  ['Nous ne devons jamais\r\nécrire dans la base à la main', 'écrire dans la base à la main'],
  ['我们绝对不会\n在周五晚上部署', '在周五晚上部署'],
  ['It is not true that\rwe deploy on weekdays', 'we deploy on weekdays'],
  ['It is not true that\u2028we deploy on weekdays', 'we deploy on weekdays'],
  ['It is not true that\u00a0\n\u00a0we deploy on weekdays', 'we deploy on weekdays'],
  ['We never ever run\n3 replicas of the database', '3 replicas of the database'],
  ['Nobody is to run\n`make clean` on the server', '`make clean` on the server'],
  [
    'First this one here. Second that one there. Third those over there.',
    'First this one here. Third those over there.',
  ],
  ['Use tabs.', 'Use tabs.'],
  ['yes, do that', 'Yes, do that'],
  [`We deploy only on weekdays. ${'x'.repeat(1000)}`, 'We deploy only on weekdays.'],
  ['Oh my! '.repeat(41).concat('We deploy only on weekdays.'), 'We deploy only on weekdays.'],
])('%j does not hold %j', (prompt, body) => {
  expect(has(prompt, body)).toBe(false);
});

test('a prompt has at most 1,000 characters, and one of two units is one', () => {
  const prompt = (length: number) => 'We deploy only on weekdays. '.padEnd(2 * length - 28, '🐳');
  expect([...prompt(1000)]).toHaveLength(1000);
  expect(has(prompt(1000), 'We deploy only on weekdays.')).toBe(true);
  expect(has(prompt(1001), 'We deploy only on weekdays.')).toBe(false);
});

test.each([
  'remember: x',
  'REMEMBER : x',
  '  Remember:x',
  'Please remember: x',
  'remember that we deploy only on weekdays',
  'Please, remember that we deploy only on weekdays. Then go on.',
  'Merk dir: x',
  'Bitte merke dir: x',
  'Recuerda: x',
  'Recuerda que desplegamos solo los martes',
  'Retiens que nous déployons le mardi',
  '记住：x',
])('%j asks to remember what follows', (prompt) => expect(asksToRemember(prompt)).toBe(true));

test.each([
  'remember this',
  'I remember: x',
  'remembering: x',
  'Remember that bug? It is back.',
  'remember that we deploy on weekdays?',
  'Remember that one',
  'Do you remember that we deploy on weekdays',
  'Mend the build, and remember that we deploy only on weekdays',
  '¿Recuerda que desplegamos los martes?',
])('%j does not', (prompt) => expect(asksToRemember(prompt)).toBe(false));
