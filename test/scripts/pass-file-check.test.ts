import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkPassFile, checkSaveLink } from '../../scripts/pass-file-check.ts';
import { readZip } from '../../scripts/read-zip.ts';
import { zipStore } from '../../src/platform/zip.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pass-file-check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
const manifestOf = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, sha1(text)]));

function zipOf(files: Record<string, string>): Uint8Array {
  return zipStore(Object.entries(files).map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) })));
}

/** Checks a pass file with these files, this manifest and an invalid signature. */
function check(files: Record<string, string>, manifest: object) {
  const file = join(folder, 'a.pkpass');
  writeFileSync(file, zipOf({ ...files, 'manifest.json': JSON.stringify(manifest), signature: 'none' }));
  const root = join(folder, 'root.pem');
  writeFileSync(root, '');
  return checkPassFile(file, root);
}

const FILES = { 'pass.json': '{}', 'icon.png': 'image' };

test('reads back the contents of a ZIP archive', () => {
  const read = readZip(Buffer.from(zipOf({ ...FILES, 'de.lproj/ü.txt': 'ä' })));
  expect([...read].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
    ['pass.json', '{}'],
    ['icon.png', 'image'],
    ['de.lproj/ü.txt', 'ä'],
  ]);
  expect(() => readZip(Buffer.from('hello'))).toThrow('The file is not a ZIP archive.');
});

test('accepts a manifest that names every file', () => {
  expect(check(FILES, manifestOf(FILES))[0]).toMatchObject({ passed: true, detail: '2 files' });
});

test.each([
  ['a file that was changed', FILES, { ...manifestOf(FILES), 'icon.png': sha1('other') }, 'icon.png'],
  ['a file that is not in the manifest', { ...FILES, 'extra.png': '' }, manifestOf(FILES), 'extra.png'],
  ['a file that is missing', { 'pass.json': '{}' }, manifestOf(FILES), 'icon.png'],
  ['a manifest without pass.json', {}, {}, 'pass.json'],
])('finds %s', (_, files, manifest, detail) => {
  expect(check(files, manifest)[0]).toMatchObject({ passed: false, detail });
});

test('does not accept an invalid signature', () => {
  // Undefined if openssl is not installed.
  expect(check(FILES, manifestOf(FILES))[1]?.passed).not.toBe(true);
});

test('accepts only a save link of the issuer', async () => {
  const [issuer, other] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const linkOf = async ({ privateKey }: NonNullable<typeof issuer>) =>
    `https://pay.google.com/gp/v/save/${await new SignJWT({ typ: 'savetowallet' }).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)}`;
  const keyFile = join(folder, 'google-issuer.pem');
  expect(checkSaveLink(await linkOf(issuer!), keyFile).passed).toBeUndefined();
  writeFileSync(keyFile, issuer!.publicKey.export({ type: 'spki', format: 'pem' }));
  expect(checkSaveLink(await linkOf(issuer!), keyFile).passed).toBe(true);
  expect(checkSaveLink(await linkOf(other!), keyFile).passed).toBe(false);
});
