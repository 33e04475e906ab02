import { type Checked, checkFiles } from '../../actions/report/check.ts';
import { type Verdict, verdictOf } from '../../core/checks/inspect.ts';
import type { Finding } from '../../core/finding.ts';
import { sanitize, text, visible } from '../../core/text/safe-text.ts';
import { type Command, Misuse } from '../command.ts';
import { SEVERITY_STYLES, type Style } from '../terminal/line.ts';
import { printJson, say, tell } from '../terminal/print.ts';

const STYLES: Readonly<Record<Verdict, Style>> = {
  PASS: 'good',
  'FAIL-STRUCT': 'danger',
  'FAIL-PERSONAL': 'danger',
  'FAIL-FORMAT': 'danger',
  'WARN-SEMANTIC': 'warning',
};

export const check: Command = {
  help: `usage: surety check [--json] [--root DIR] FILE|FOLDER…

Runs every check over memory files as they lie: structure, secrets, text shaped like an instruction, characters that do
not show, other people's data. In a folder every .md file is looked at, MEMORY.md left out. It changes nothing, and it
never prints the text that a finding is about.

  --json       print one JSON object: the files, their findings, the exit code, and what was not looked for
  --root DIR   the store whose settings count (else SURETY_ROOT, else ~/.surety)

exit codes, for one file: 0 nothing found; 1 it is no memory file, or it holds personal data, which is not pushed;
2 a field or a secret blocks it; 3 something else to look at
for several files or a folder: 1 if any of them fails, else 3 if any is to be looked at, else 0
64 the command line was not understood
`,
  options: {},
  switches: ['json'],
  takes: Number.POSITIVE_INFINITY,
  run: async ({ root, rest, switches }) => {
    if (rest.length === 0) throw new Misuse('surety check needs a file or a folder');
    const outcome = checkFiles(root, rest);
    if (switches?.has('json')) printJson(outcome);
    else if (outcome.files.length === 0) tell(text`There is no .md file to look at.`);
    else for (const file of outcome.files) show(file);
    if (!switches?.has('json'))
      for (const notice of outcome.notices) tell(text`Not looked for: ${sanitize(notice, 'line')}`);
    return outcome.code;
  },
};

function show({ path, findings }: Checked): void {
  const verdict = verdictOf(findings);
  say([STYLES[verdict], sanitize(verdict, 'line')], text`  ${visible(path, 'line')}`);
  for (const finding of findings) tell(worded(finding), SEVERITY_STYLES[finding.severity]);
}

function worded({ rule, severity, field, line, message }: Finding) {
  const where = `${severity}, line ${line}, ${field}: ${message} (${rule})`;
  return text`  ${sanitize(where, 'line')}`;
}
