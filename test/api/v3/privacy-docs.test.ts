import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';
import { ended } from '../../support/processes.ts';

/* Runs the commands of docs/privacy.md, verbatim and in order. */

const DOCS = readFileSync(join(import.meta.dirname, '../../../docs/privacy.md'), 'utf8');

test('the privacy page’s commands run verbatim with the scopes that it names, and the person is erased in the end', async () => {
  const own = await freshAccount();
  const { identifier } = await own.createPass(await own.createTemplate(), { emailRecipient: 'ada@example.com' });
  const scopes = ['persons:manage', 'passes:read', 'audit:read'];
  for (const scope of scopes) expect(DOCS).toContain(scope);
  const { body: key } = await own.post('/api/v3/api-key', { name: 'Data protection officer', scopes });
  const commands = [...DOCS.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, code]) => code!);
  const found: unknown[] = [];
  let processId = '';
  for (const command of commands) {
    const env = { PATH: process.env.PATH, BASE: inject('worker').origin, KEY: key.data.apiKey, PROCESS_ID: processId };
    const body = JSON.parse(execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }));
    expect(body.success, command).toBe(true);
    if (!body.data.processId) continue;
    ({ processId } = body.data);
    found.push(await ended(own, { status: 202, body, headers: new Headers() }));
  }
  expect(found).toMatchObject([
    { result: { passes: 1 } },
    { result: { passes: 1, url: expect.stringContaining('/person-exports/') } },
    { result: { passes: 1 } },
  ]);
  expect((await own.get(`/api/v3/pass/${identifier}`)).status).toBe(404);
});
