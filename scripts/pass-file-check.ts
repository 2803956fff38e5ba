import { spawnSync } from 'node:child_process';
import { createHash, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readZip } from './read-zip.ts';

/** Result of one check. `passed` is undefined if it could not run; `detail` says why. */
export interface Check {
  promise: string;
  passed?: boolean;
  detail?: string;
}

/**
 * Checks a `.pkpass` like a device: its manifest against its files, and its signature, with openssl, against the root
 * in `rootFile`.
 */
export function checkPassFile(file: string, rootFile: string): Check[] {
  return checkPassEntries(readZip(readFileSync(file)), rootFile);
}

/** Runs the same checks on files already read, by name. */
export function checkPassEntries(entries: Map<string, Buffer>, rootFile: string): Check[] {
  return [checkManifest(entries), checkSignature(entries, rootFile)];
}

function checkManifest(entries: Map<string, Buffer>): Check {
  const promise = 'the manifest names every file with its SHA-1';
  const manifest = JSON.parse(entries.get('manifest.json')?.toString() ?? '{}') as Record<string, string>;
  const listed = new Set([...Object.keys(manifest), 'manifest.json', 'signature']);
  const unlisted = [...entries.keys()].filter((name) => !listed.has(name));
  const wrong = Object.entries(manifest).filter(([name, digest]) => {
    const content = entries.get(name);
    return !content || createHash('sha1').update(content).digest('hex') !== digest;
  });
  const faults = [...unlisted, ...wrong.map(([name]) => name)];
  if (!manifest['pass.json']) faults.push('pass.json');
  return faults.length > 0
    ? { promise, passed: false, detail: faults.join(', ') }
    : { promise, passed: true, detail: `${Object.keys(manifest).length} files` };
}

function checkSignature(entries: Map<string, Buffer>, rootFile: string): Check {
  const promise = 'openssl accepts the signature';
  if (!existsSync(rootFile)) return { promise, detail: `not checked, there is no ${rootFile}` };
  const folder = mkdtempSync(join(tmpdir(), 'pass-file-'));
  try {
    const [manifest, signature] = ['manifest.json', 'signature'].map((name) => {
      writeFileSync(join(folder, name), entries.get(name) ?? '');
      return join(folder, name);
    });
    // By default, openssl requires certificates for e-mail, which pass certificates aren't; -binary keeps the line
    // ends.
    const parameters = [
      'cms',
      '-verify',
      '-binary',
      '-inform',
      'DER',
      '-purpose',
      'any',
      '-out',
      join(folder, 'content'),
    ];
    const files = ['-in', signature!, '-content', manifest!, '-CAfile', rootFile];
    const { error, status, stderr } = spawnSync('openssl', [...parameters, ...files], { encoding: 'utf8' });
    if (error) return { promise, detail: 'not checked, openssl was not found on this machine' };
    return status === 0 ? { promise, passed: true } : { promise, passed: false, detail: stderr.trim() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the JWT of a Google save link (RS256, RFC 7515) against the issuer's public key in `keyFile`, PEM. */
export function checkSaveLink(uri: string, keyFile: string): Check {
  const promise = 'the Google save link is signed by its issuer';
  if (!existsSync(keyFile)) return { promise, detail: `not checked, there is no ${keyFile}` };
  const [header, claims, signature] = uri.split('/').at(-1)!.split('.');
  const signed = Buffer.from(`${header}.${claims}`);
  return {
    promise,
    passed: verify('sha256', signed, readFileSync(keyFile), Buffer.from(signature ?? '', 'base64url')),
  };
}
