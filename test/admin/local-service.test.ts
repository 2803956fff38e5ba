import { statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { DEMO_KEYS } from '../../scripts/demo/templates.ts';
import { interrupt, LocalService } from '../support/local-service.ts';

const START_MILLIS_MAX = 60_000;
const SLOW = 3 * START_MILLIS_MAX;

const local = await LocalService.prepare();
const { baseUrl, demoFile } = local;
afterAll(() => local.remove());

const statusWith = async (apiKey: string) =>
  (await fetch(`${baseUrl}/api/v3/project`, { headers: { Authorization: apiKey } })).status;

describe('npm start', () => {
  test('starts with a demo, takes commands, stops wholly and keeps its data', { timeout: SLOW }, async () => {
    const { service, printed, millis } = await local.start();
    const { demo } = local;
    expect(demo).toEqual({
      baseUrl,
      accountId: expect.any(String),
      apiKey: expect.stringMatching(/^pk_/),
      gate: expect.stringContaining(`${baseUrl}/scan/`),
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

    const named = ['--account', demo.accountId, '--name', 'Second'];
    const { apiKey, apiKeyId } = await local.admin('api-key', 'create', ...named);
    expect(await statusWith(apiKey)).toBe(200);

    expect(await local.outputOf('scripts/demo.ts')).toContain('✓ the manifest names every file');
    expect(await local.outputOf('scripts/demo.ts', 'seasonTicket')).toContain('Created seasonTicket ');

    expect(await interrupt(service)).toBe(0);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();

    // Without the service the command starts a Worker of its own on the same state.
    expect(await local.admin('api-key', 'deactivate', '--id', apiKeyId)).toEqual({ apiKeyId, active: false });

    const again = await local.start();
    // Nothing of the first start is done again: on a machine of its own it takes under 10 s.
    expect(again.millis).toBeLessThan(millis);
    expect(local.demo).toEqual(demo);
    expect([await statusWith(demo.apiKey), await statusWith(apiKey)]).toEqual([200, 401]);
    expect(await interrupt(again.service)).toBe(0);
  });
});
