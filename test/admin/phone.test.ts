import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { interrupt, LocalService } from '../support/local-service.ts';

/** local-service.test.ts checks the limit of a minute; in parallel with seven other lanes, it took 40 seconds. */
const START_MILLIS_MAX = 180_000;
const SLOW = 60_000;

/** The phone's output with --json, in order. */
type Said = Record<string, unknown> & { event: string };

const local = await LocalService.prepare();
let service: ChildProcess;
beforeAll(async () => {
  await local.migrateAhead();
  ({ service } = await local.start());
}, START_MILLIS_MAX);
afterAll(async () => {
  await interrupt(service);
  local.remove();
});

const phones: ChildProcess[] = [];
afterAll(() => {
  for (const phone of phones) phone.kill('SIGKILL');
});

const startPhone = (...words: string[]) => follow(local.run('scripts/phone.ts', '--json', ...words));

/** Follows the output of a phone in its own process. */
function follow(program: ChildProcess) {
  phones.push(program);
  const said: Said[] = [];
  let errors = '';
  let heard = () => {};
  program.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: program.stdout! }).on('line', (line) => {
    said.push(JSON.parse(line));
    heard();
  });
  const ended = once(program, 'close').then(([code]) => ({ code: code as number, errors }));
  return {
    program,
    said,
    ended,
    async until(event: string): Promise<Said> {
      for (;;) {
        const found = said.find((one) => one.event === event);
        if (found) return found;
        const more = new Promise<undefined>((resolve) => {
          heard = () => resolve(undefined);
        });
        const end = await Promise.race([more, ended]);
        if (end && !said.some((one) => one.event === event)) throw new Error(`ended with ${JSON.stringify(end)}`);
      }
    },
  };
}

async function call(method: string, path: string, body: object): Promise<number> {
  const headers = { Authorization: local.demo.apiKey, 'Content-Type': 'application/json' };
  return (await fetch(local.baseUrl + path, { method, headers, body: JSON.stringify(body) })).status;
}

const serialNumberIn = (said: Said) => (said.passes as { serialNumber: string }[])[0]!.serialNumber;
const pushSettings = async () => (await local.command<{ push: unknown }[]>('certificate list')).map(({ push }) => push);

describe('npm run phone', () => {
  test('checks a pass, receives a push and shows what changed', { timeout: SLOW }, async () => {
    const phone = startPhone('--once', '--wait', '30');
    const downloaded = await phone.until('downloaded');
    expect(downloaded).toMatchObject({
      passes: [{ fields: { gate: 'A72' }, checks: [{ passed: true }, { passed: true }] }],
    });
    const serialNumber = serialNumberIn(downloaded);
    const { relayOrigin } = await phone.until('waiting');
    expect(await pushSettings()).toEqual([`relay ${relayOrigin}`]);
    expect(await call('PATCH', `/api/v3/pass/${serialNumber}`, { data: { originAirportGate: 'B12' } })).toBe(200);
    expect(await phone.ended).toEqual({ code: 0, errors: '' });
    expect(phone.said.slice(1)).toMatchObject([
      { event: 'registered', statuses: { [serialNumber]: 201 } },
      { event: 'waiting' },
      { event: 'pushed', topic: 'pass.com.example.development' },
      {
        event: 'updated',
        serialNumber,
        status: 'updated',
        changes: [
          { key: 'gate', from: 'A72', to: 'B12' },
          { key: 'semantics.departureGate', from: 'A72', to: 'B12' },
        ],
        messages: ['Your gate is now B12'],
      },
      { event: 'unregistered', statuses: { [serialNumber]: 200 } },
    ]);
    expect(await pushSettings()).toEqual([null]);
  });

  test('shuts down cleanly when interrupted; meanwhile no other phone can take its pushes', {
    timeout: SLOW,
  }, async () => {
    const phone = startPhone();
    await phone.until('waiting');
    const other = await startPhone().ended;
    expect(other.code).toBe(1);
    expect(other.errors).toContain(
      'Another phone receives the pushes for pass.com.example.development: stop it first.',
    );
    expect(await interrupt(phone.program)).toBe(0);
    expect(phone.said.at(-1)).toMatchObject({ event: 'unregistered' });
    expect(await pushSettings()).toEqual([null]);
  });

  test('takes over from one that was killed', { timeout: SLOW }, async () => {
    const killed = follow(local.runAlone('scripts/phone.ts', '--json'));
    const { relayOrigin } = await killed.until('waiting');
    killed.program.kill('SIGKILL');
    await killed.ended;
    expect(await pushSettings()).toEqual([`relay ${relayOrigin}`]);
    const next = startPhone('--keep');
    await next.until('waiting');
    expect(await interrupt(next.program)).toBe(0);
    expect(next.said.map(({ event }) => event)).not.toContain('unregistered');
    expect(await pushSettings()).toEqual([null]);
  });

  test.each<[string[], string]>([
    [['https://passes.example/p/unknown', '--wait', '5'], '--wait goes with --once.'],
    [['passes.example'], '"passes.example" is not a link.'],
    [['--once', '--wait', 'long'], '--wait must be a number of seconds, not "long".'],
  ])('rejects %j in one sentence', { timeout: SLOW }, async (words, sentence) => {
    expect(await startPhone(...words).ended).toEqual({ code: 1, errors: `${sentence}\n` });
  });

  test('explains what is wrong with a link', { timeout: SLOW }, async () => {
    const { code, errors } = await startPhone(`${local.baseUrl}/p/unknown`).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/was answered with 404/);
  });
});
