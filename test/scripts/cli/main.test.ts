import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { VaultWriter } from '../../../scripts/backup/vault.ts';
import { COMMAND_NAMES } from '../../../scripts/cli/commands.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAM = join(ROOT, 'scripts/cli.mjs');
const folder = mkdtempSync(join(tmpdir(), 'cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the program in another folder, like somebody who has linked it. */
function run(line: string): Promise<Ended> {
  const env = { ...process.env, STATE_DIR: folder, LOCAL_DIR: folder, FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    const words = line.split(' ').filter(Boolean);
    execFile(process.execPath, [PROGRAM, ...words], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

describe('pass-wallet', () => {
  test('rejects invalid arguments with code 2, a suggestion and the next step, and as JSON on request', async () => {
    const [unknown, option, template] = await Promise.all([run('depoly'), run('demo --jsno'), run('demo nope --json')]);
    expect(unknown).toEqual({
      code: 2,
      stdout: '',
      stderr: 'There is no command "depoly". Did you mean deploy?\npass-wallet --help lists all commands.\n',
    });
    expect(option).toEqual({
      code: 2,
      stdout: '',
      stderr: "Unknown option '--jsno'. Did you mean --json?\npass-wallet demo --help shows its options.\n",
    });
    expect([template.code, JSON.parse(template.stdout)]).toEqual([2, { error: template.stderr.split('\n')[0] }]);
  });

  test('fails with code 1, and reports it as JSON', async () => {
    const { code, stdout } = await run('status --json');
    expect([code, JSON.parse(stdout)]).toEqual([1, { running: false, baseUrl: null, stateDir: folder, service: null }]);
  });

  test('shows its help in plain text to a program, or as JSON', async () => {
    const [help, json] = await Promise.all([run('help demo'), run('--json --help')]);
    expect(help.stdout).toMatch(/^pass-wallet demo \[<template>\] \[options\]\n/);
    expect(Object.keys(JSON.parse(json.stdout).commands)).toEqual(COMMAND_NAMES);
  });
});

test('Ctrl-C leaves no temporary folder or progress line, and reports what is left', async () => {
  const program = `
    import { temporaryFolder } from ${JSON.stringify(join(ROOT, 'scripts/at-exit.ts'))};
    import { Progress } from ${JSON.stringify(join(ROOT, 'scripts/cli/progress.ts'))};
    import { runMain } from ${JSON.stringify(join(ROOT, 'scripts/settings.ts'))};
    await runMain(async () => {
      const { path } = temporaryFolder('interrupted-');
      const progress = new Progress(1, Object.assign(process.stderr, { isTTY: true }));
      progress.step('Working');
      console.log(path);
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }, { interrupted: 'Interrupted. Run it again.' });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1', FORCE_COLOR: undefined },
  });
  // A launcher forwards a signal that the terminal has already sent.
  child.stdout.once('data', () => {
    child.kill('SIGINT');
    child.kill('SIGINT');
  });
  const [path, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(path).toContain('interrupted-');
  expect(existsSync(path.trim())).toBe(false);
  expect(said.endsWith('Working\r\u001b[2KInterrupted. Run it again.\n')).toBe(true);
  expect(code).toBe(1);
});

describe('an interrupted backup', () => {
  const key = Buffer.alloc(32);
  const write = (place: string) => {
    const vault = new VaultWriter(place, key);
    return { vault, part: vault.part('a.bin', (add) => add({ rows: [] })) };
  };

  test('deletes a new folder', async () => {
    const place = join(folder, 'new');
    const { vault, part } = write(place);
    await part;
    expect(readdirSync(place)).toHaveLength(2);
    vault.discard();
    expect(existsSync(place)).toBe(false);
  });

  test('keeps an existing folder, and files of others in it', async () => {
    const place = join(folder, 'kept');
    mkdirSync(place);
    const { vault, part } = write(place);
    await part;
    mkdirSync(join(place, 'theirs'));
    vault.discard();
    expect(readdirSync(place)).toEqual(['theirs']);
  });
});
