import { afterAll, describe, expect, test } from 'vitest';
import { interrupt, LocalService } from '../support/local-service.ts';

const SLOW = 180_000;

const local = await LocalService.prepare();
const { baseUrl } = local;
afterAll(() => local.remove());

const statusWith = async (apiKey: string) =>
  (await fetch(`${baseUrl}/api/v3/project`, { headers: { Authorization: apiKey } })).status;

describe('npm start', () => {
  test('stops completely and keeps its data', { timeout: SLOW }, async () => {
    const { service, printed } = await local.start();
    expect(printed).toContain('Applying migrations to DB_1');
    const { demo } = local;
    const create = { account: demo.accountId, name: 'Second' };
    const { apiKey, apiKeyId } = await local.command<{ apiKey: string; apiKeyId: string }>('api-key create', create);
    expect(await statusWith(apiKey)).toBe(200);
    expect(await interrupt(service)).toBe(0);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow();

    // With no service running, the command starts a Worker on the same state.
    expect(await local.admin('api-key', 'deactivate', '--id', apiKeyId)).toEqual({ apiKeyId, active: false });

    const again = await local.start();
    // Nothing from the first start is repeated.
    expect(again.printed).not.toContain('Applying migrations');
    expect(local.demo).toEqual(demo);
    expect([await statusWith(demo.apiKey), await statusWith(apiKey)]).toEqual([200, 401]);
    expect(await interrupt(again.service)).toBe(0);
  });
});
