import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDevelopmentAuthority, type DevelopmentAuthority } from '../../../scripts/development-ca.ts';
import { relayTransport } from '../../../src/wallets/apple/apns/relay-transport.ts';
import { ApnsStandIn } from '../../support/apns-stand-in.ts';

const PROGRAM = join(import.meta.dirname, '../../../scripts/apns-relay/main.ts');
const TOPIC = 'pass.com.example.tickets';
const APNS_RELAY_TOKEN = 'a-bearer-token-of-the-tests';
const SLOW = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'apns-relay-'));
const file = (name: string) => join(folder, name);
let authority: DevelopmentAuthority;
beforeAll(async () => {
  authority = await createDevelopmentAuthority({
    passTypeId: TOPIC,
    teamId: 'TEAM012345',
    organizationName: 'Example',
    keyType: 'ec',
  });
  writeFileSync(file('chain.pem'), `${authority.certificatePem}\n${authority.intermediatePem}`);
  writeFileSync(file('key.pem'), authority.privateKeyPem);
  const parts = ['-in', file('chain.pem'), '-inkey', file('key.pem'), '-out', file('pass.p12')];
  execFileSync('openssl', ['pkcs12', '-export', ...parts, '-passout', 'pass:secret']);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(words: string[], env: Record<string, string> = {}) {
  const { APNS_RELAY_TOKEN: _, ...others } = process.env;
  return spawn(process.execPath, [PROGRAM, ...words], {
    env: { ...others, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(program: ChildProcess): Promise<{ code: number; said: string }> {
  let said = '';
  for (const stream of [program.stdout, program.stderr]) stream?.on('data', (chunk) => (said += chunk));
  const [code] = await once(program, 'close');
  return { code, said };
}

describe('npm run apns-relay', () => {
  test.each([
    ['.p12', () => ['--p12', file('pass.p12')]],
    ['PEM', () => ['--cert', file('chain.pem'), '--key', file('key.pem')]],
  ])('pushes with a %s certificate, logs it without tokens, and ends cleanly', { timeout: SLOW }, async (_, files) => {
    const apns = await ApnsStandIn.open({ clientRootPem: authority.rootPem });
    writeFileSync(file('apns.pem'), apns.rootPem);
    const where = ['--port', '0', '--apns-host', new URL(apns.origin).host, '--apns-ca', file('apns.pem')];
    const program = run([...where, ...files()], { APNS_RELAY_TOKEN, CERTIFICATE_PASSWORD: 'secret' });
    const end = ended(program);
    try {
      const lines: Record<string, unknown>[] = [];
      const reader = createInterface({ input: program.stdout! });
      reader.on('line', (line) => lines.push(JSON.parse(line)));
      await once(reader, 'line');
      const url = lines[0]!.origin as string;
      const transport = relayTransport({ url, token: async () => APNS_RELAY_TOKEN }, { allowLocal: true });
      const token = 'ab'.repeat(32);
      expect(await transport.push(TOPIC, [token])).toEqual([{ outcome: 'sent' }]);
      expect(await apns.received()).toMatchObject([{ token, certificateFor: TOPIC }]);
      program.kill('SIGTERM');
      const { code, said } = await end;
      expect(code).toBe(0);
      expect(lines).toMatchObject([
        { event: 'started', apns: apns.origin },
        { event: 'certificate', topic: TOPIC, expiresInDays: expect.any(Number) },
        { event: 'pushes', topic: TOPIC, sent: 1, gone: 0, retry: 0, refused: 0 },
        { event: 'stopping' },
      ]);
      expect(said).not.toContain(token);
      expect(said).not.toContain(APNS_RELAY_TOKEN);
    } finally {
      program.kill('SIGKILL');
      await apns.close();
    }
  });

  test.each<[string, string[], Record<string, string>]>([
    ['Set APNS_RELAY_TOKEN to at least 20 characters', ['--p8', 'key.p8'], {}],
    ['Give the pass certificate with --p12 F', [], { APNS_RELAY_TOKEN }],
    ['Cannot read nowhere.p12 (ENOENT).', ['--p12', 'nowhere.p12'], { APNS_RELAY_TOKEN }],
    ["Unknown option '--colour'.", ['--colour', 'red'], { APNS_RELAY_TOKEN }],
    ['--port must be a number from 0 to 65535, not "a".', ['--port', 'a', '--p12', 'pass.p12'], { APNS_RELAY_TOKEN }],
  ])('prints only "%s"', { timeout: SLOW }, async (sentence, words, env) => {
    const inFolder = words.map((word) => (word === 'pass.p12' ? file(word) : word));
    const { code, said } = await ended(run(inFolder, { CERTIFICATE_PASSWORD: 'secret', ...env }));
    expect(code).toBe(1);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(said).toContain(sentence);
  });

  test('explains its options', { timeout: SLOW }, async () => {
    const { code, said } = await ended(run(['--help']));
    expect(code).toBe(0);
    for (const option of ['--p12', '--p8', '--tls-cert', '--apns-host', 'APNS_RELAY_TOKEN'])
      expect(said).toContain(option);
  });
});
