import { expect, test } from 'vitest';
import { isOwnTool } from '../../../src/core/clients/own-tools.ts';
import { TOOLS } from '../../../src/server.ts';

const BEFORE = ['mcp__surety__', 'mcp__plugin_surety_surety__', 'mcp_surety_', 'surety-'];

test.each(TOOLS.map(({ name }) => name))('%s is Surety’s own in every client', (name) => {
  for (const before of BEFORE) expect(isOwnTool(before + name), before).toBe(true);
});

test.each([
  // Copilot CLI and Gemini CLI: another server, called surety-files.
  'surety-files-write_file',
  'mcp_surety_files_write_file',
  'mcp__surety-files__write_file',
  'surety-promote-all',
  'mcp__other_surety__promote',
  'promote',
])('%s is another server’s', (name) => {
  expect(isOwnTool(name)).toBe(false);
});
