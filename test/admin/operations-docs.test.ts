import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAdminArguments } from '../../scripts/admin-arguments.ts';
import { admin, freshAccount } from '../support/api.ts';

/* Runs the administration commands of docs/operations.md, verbatim and in order. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const COMMANDS = [...PAGE.matchAll(/^\s*npm run -s admin -- (.+)$/gm)].map(([, words]) => words!);

test('the commands on the page work', async () => {
  let { accountId } = await freshAccount();
  const shown = (words: string) => words.replaceAll('$ACCOUNT_ID', accountId).replaceAll('"$ACCOUNT_NAME"', 'Test');
  expect(COMMANDS.length).toBeGreaterThanOrEqual(3);
  for (const words of COMMANDS) {
    const { command, options } = parseAdminArguments(shown(words).split(' '));
    await expect(admin(command, options), words).resolves.toBeDefined();
    if (command === 'account delete') ({ accountId } = await freshAccount());
  }
});
