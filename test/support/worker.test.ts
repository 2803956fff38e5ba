import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, freshAccount } from './api.ts';
import {
  allLogged,
  columnsWith,
  costOf,
  d1,
  d1Everywhere,
  eventually,
  homeOfFile,
  logged,
  runScheduledEverywhere,
} from './control.ts';
import { type OutsideServer, openOutsideServer } from './outside-server.ts';
import { sampleTemplate } from './samples.ts';
import { judge } from './sql-judge.ts';
import { recordedStatements, STATEMENTS_DIR } from './statement-record.ts';
import { tenantTables } from './tenant-tables.ts';

/** Where `scripts/test.ts` has statements recorded; vitest alone records none. */
const folder = process.env[STATEMENTS_DIR];

describe('the Worker under test', () => {
  let client: Client;
  let outside: OutsideServer;

  beforeAll(async () => {
    client = await freshAccount();
    outside = await openOutsideServer(() => ({ status: 302, headers: { Location: '/elsewhere' } }));
  });
  afterAll(() => outside.close());

  test('gives each file its own account', async () => {
    const other = await freshAccount({ timezone: 'Europe/Berlin' });
    const rows = await d1<{ id: string; timezone: string }>(
      'select id, timezone from accounts where id in (?, ?) order by id',
      [client.accountId, other.accountId],
    );
    expect(rows).toEqual([
      { id: client.accountId, timezone: 'UTC' },
      { id: other.accountId, timezone: 'Europe/Berlin' },
    ]);
  });

  test('reports what a request has cost', async () => {
    const reply = await client.post('/api/v2/pass-template', {});
    expect(reply.status).toBe(400);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBeGreaterThan(0);
    expect(cost.rowsRead).toBeGreaterThan(0);
    const line = await logged({ requestId: reply.headers.get('X-Request-Id') });
    expect(line).toMatchObject({ event: 'request', account: client.accountId, status: 400 });
    expect(await allLogged({ requestId: line.requestId })).toEqual([line]);
  });

  test.skipIf(!folder)('records each prepared statement, outside its log', async () => {
    await client.get('/api/v3/segment');
    const statement = await eventually(() =>
      recordedStatements([folder!]).find((one) =>
        /^select .* from "segments" where \(*"segments"\."account_id" = /.test(one),
      ),
    );
    expect(judge(statement, tenantTables())).toEqual([]);
    expect(await allLogged({ statement })).toEqual([]);
  });

  test('finds a text in any column, in either case, and in bytes', async () => {
    const columns = Array.from({ length: 40 }, (_, i) => `c${i}`);
    const run = (statement: string) => d1(statement, [], homeOfFile());
    await d1Everywhere(`create table planted (${columns.join(', ')})`);
    onTestFinished(async () => {
      await d1Everywhere('drop table planted');
    });
    await run("insert into planted (c0, c7, c39) values ('seat', x'ff00e2' || 'the Seat', 12)");
    await run("insert into planted (c1, c38) values (null, cast('a SEAT' as blob))");
    expect((await columnsWith(['seat'], ['planted'])).sort()).toEqual(['planted.c0', 'planted.c38', 'planted.c7']);
    expect(await columnsWith(['none', '12'], ['planted'])).toEqual(['planted.c39']);
    expect(await columnsWith(['none', '(.)', 'seat1'], ['planted'])).toEqual([]);
  });

  test('reports which log line did not arrive', async () => {
    await expect(logged({ requestId: 'none' }, 1)).rejects.toThrow('no log line with {"requestId":"none"}');
  });

  test('creates templates and passes', async () => {
    const templateId = await client.createTemplate({ name: 'Another name' });
    const pass = await client.createPass(templateId, { 'Full name': 'Erika Mustermann' });
    const rows = await d1('select t.name from passes p join templates t on t.id = p.template_id where p.id = ?', [
      pass.identifier,
    ]);
    expect(rows).toEqual([{ name: 'Another name' }]);
  });

  test('runs the scheduled handler', async () => {
    await runScheduledEverywhere(new Date(Date.UTC(2026, 0, 1)));
  });

  test('reaches servers of the tests, and nothing else', async () => {
    const definition = (logo: string) => sampleTemplate({ images: { logo } });
    const redirected = await client.post('/api/v2/pass-template', definition(`${outside.origin}/logo.png?size=2`));
    expect(redirected.status).toBe(400);
    const [request] = await outside.received();
    expect(request).toMatchObject({ method: 'GET', path: '/logo.png?size=2' });
    expect(request?.headers['x-forwarded-host']).toBe(new URL(outside.origin).host);
    const nowhere = await client.post('/api/v2/pass-template', definition('https://unopened.example.com/logo.png'));
    expect(nowhere.status).toBe(400);
    expect(outside.requests).toHaveLength(1);
  });

  test('reports what was wrong with a statement', async () => {
    await expect(d1('select 1 from nowhere', [], 'DB')).rejects.toThrow('no such table: nowhere');
  });
});
