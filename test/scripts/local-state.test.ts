import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  lastBaseUrl,
  localDatabases,
  localEncryptionKeys,
  missingMigrations,
  recordMigrated,
} from '../../scripts/local-state.ts';
import { readSettings } from '../../scripts/settings.ts';

test('links of a stopped service use the address of its last start, unless the environment sets one', () => {
  const LOCAL_DIR = mkdtempSync(join(tmpdir(), 'local-state-'));
  const baseUrl = (env: Record<string, string>) => lastBaseUrl(readSettings({ LOCAL_DIR, ...env }), env);
  expect(baseUrl({})).toBe('http://localhost:8787');
  writeFileSync(join(LOCAL_DIR, 'demo.json'), JSON.stringify({ baseUrl: 'http://localhost:9000' }));
  expect(baseUrl({})).toBe('http://localhost:9000');
  expect(baseUrl({ PORT: '9001' })).toBe('http://localhost:9001');
  expect(baseUrl({ BASE_URL: 'https://demo.example.com' })).toBe('https://demo.example.com');
  rmSync(LOCAL_DIR, { recursive: true });
});

test('a state has its own key, besides those of the environment, which are checked before the Worker starts', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'local-state-'));
  const { ENCRYPTION_KEY, ...others } = localEncryptionKeys(stateDir, {});
  expect(others).toEqual({});
  expect(Buffer.from(ENCRYPTION_KEY!, 'base64')).toHaveLength(32);
  const ENCRYPTION_KEYS = `2:${randomBytes(32).toString('base64')}`;
  expect(localEncryptionKeys(stateDir, { ENCRYPTION_KEYS })).toEqual({ ENCRYPTION_KEY, ENCRYPTION_KEYS });
  expect(() => localEncryptionKeys(stateDir, { ENCRYPTION_KEYS: '2' })).toThrow('ENCRYPTION_KEYS must look like');
  rmSync(stateDir, { recursive: true });
});

test('databases are migrated unless the record of them is up to date and they are there', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'local-state-'));
  const all = ['DB', 'DB_1'];
  expect(missingMigrations(stateDir)).toEqual(all);
  recordMigrated(stateDir, ['DB', 'DB_7']);
  expect(missingMigrations(stateDir)).toEqual(all);
  mkdirSync(join(stateDir, 'v3', 'd1'), { recursive: true });
  expect([missingMigrations(stateDir), localDatabases(stateDir)]).toEqual([[], ['DB', 'DB_7']]);
  const record = join(stateDir, 'migrations.sha256');
  writeFileSync(record, `0${'a'.repeat(63)}\nDB\nDB_7`);
  expect([missingMigrations(stateDir), localDatabases(stateDir)]).toEqual([all, all]);
  rmSync(stateDir, { recursive: true });
});
