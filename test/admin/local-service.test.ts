import { statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../scripts/cli/commands/demo.ts';
import { DEMO_KEYS, demoTemplates } from '../../scripts/demo/templates.ts';
import { firstScreen } from '../support/fresh-clone.ts';
import { interrupt, LocalService } from '../support/local-service.ts';
import { missingTool } from '../support/page-commands.ts';

/*
 * Follows a new user: a clone, an empty home directory, and the commands of the README's first screen, verbatim. For
 * the second start, see local-service-restart.test.ts.
 */

const START_MILLIS_MAX = 60_000;
const SLOW = 3 * START_MILLIS_MAX;

/** 40 words of five letters a minute, the speed of average typists: https://en.wikipedia.org/wiki/Words_per_minute */
const LETTERS_A_MINUTE = 200;
const TYPING_MINUTES_MAX = 2;

const local = await LocalService.clone();
const { baseUrl, demoFile } = local;
afterAll(() => local.remove());

const statusWith = async (apiKey: string) =>
  (await fetch(`${baseUrl}/api/v3/project`, { headers: { Authorization: apiKey } })).status;

interface Front {
  fields: Record<'headerFields' | 'primaryFields' | 'secondaryFields', { label: string }[]>;
}

/** Checks that the download page shows a demo template's card, and the buttons of both wallets. */
async function expectPassOn(address: string | undefined) {
  const reply = await fetch(address!);
  const page = await reply.text();
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  const shown = (await demoTemplates()).filter(({ definition }) => {
    const { headerFields, primaryFields, secondaryFields } = (definition as Front).fields;
    const labels = [headerFields, primaryFields, secondaryFields].flat().map(({ label }) => label);
    return labels.every((label) => label.includes('{') || page.includes(`>${label}<`));
  });
  expect(shown).toHaveLength(1);
  expect(page).toContain('Add to Apple Wallet');
  expect(page).toContain('Google Wallet');
  return shown[0]!.key;
}

describe('npm start', () => {
  test('starts with a demo, runs commands and stops', { timeout: SLOW }, async () => {
    const { start, others } = firstScreen();
    const letters = [start, ...others].reduce((sum, block) => sum + block.length + '\n'.length, 0);
    expect(letters / LETTERS_A_MINUTE).toBeLessThan(TYPING_MINUTES_MAX);
    const { service, printed } = await local.startBy(start);
    expect(printed).toContain('Applying migrations to DB_1');
    const { demo } = local;
    expect(demo).toEqual({
      baseUrl,
      accountId: expect.any(String),
      apiKey: expect.stringMatching(/^pk_/),
      scanner: expect.stringContaining(`${baseUrl}/scan/`),
      templates: Object.fromEntries(DEMO_KEYS.map((key) => [key, expect.any(String)])),
    });
    expect(statSync(demoFile).mode & 0o777).toBe(0o600);
    for (const fact of [
      baseUrl,
      ...Object.values(demo.templates),
      demo.apiKey,
      `${baseUrl}/docs`,
      'curl -X POST',
      '/console/sign-in?token=',
    ]) {
      expect(printed).toContain(fact);
    }
    expect(await statusWith(demo.apiKey)).toBe(200);

    const frontPage = await (await fetch(baseUrl)).text();
    expect(frontPage.match(/name="template" value="demo-[a-z-]+"/g)).toHaveLength(4);

    // At once, because each takes a process a second to load.
    const named = ['--account', demo.accountId, '--name', 'Second'];
    const [{ apiKey }, typed, printedJson, printedTicket] = await Promise.all([
      local.admin('api-key', 'create', ...named),
      missingTool ? undefined : local.typed(others.join('\n')),
      local.typed('npx pass-wallet demo --json'),
      local.outputOf('scripts/demo.ts', 'seasonTicket'),
    ]);
    expect(await statusWith(apiKey)).toBe(200);

    if (typed !== undefined) await expectPassOn(typed.match(/https?:\S+/g)?.at(-1));
    const made = JSON.parse(printedJson);
    expect(Object.keys(made)).toEqual(Object.keys(DEMO.output.document));
    expect(made.checks[0]).toMatchObject({ promise: 'the manifest names every file with its SHA-1', passed: true });
    expect(await expectPassOn(made.downloadPage)).toBe(made.template);
    expect(printedTicket).toContain('Created seasonTicket ');

    expect(await interrupt(service)).toBe(0);
  });
});
