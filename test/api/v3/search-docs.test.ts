import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';

/* Runs the commands of docs/search.md, verbatim. */

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/search.md'), 'utf8');

/** Returns the commands that call the service, without their pipes. */
function commands(): string[] {
  const blocks = [...DOCS.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, code]) => code!);
  return blocks.filter((code) => code.includes('curl ')).map((code) => code.replace(/ \| jq [^\n]*\n$/, '\n'));
}

test('the search page’s commands run verbatim, and find what it says', async () => {
  const own = await freshAccount();
  const templateId = await own.createTemplate();
  await own.createPass(templateId, { userProvidedId: 'order-1001', 'Full name': 'Ada Lovelace' });
  await own.createPass(templateId, { userProvidedId: 'other', 'Full name': 'Grace Hopper' });
  const env = { PATH: process.env.PATH, BASE: inject('worker').origin, KEY: own.apiKey, TEMPLATE: templateId };
  const found = commands().map((command) => {
    const reply = JSON.parse(execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }));
    return [reply.success, reply.data.map((row: { userProvidedId: string }) => row.userProvidedId)];
  });
  expect(found.length).toBeGreaterThan(3);
  for (const one of found) expect(one).toEqual([true, ['order-1001']]);
});
