import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../../scripts/bootstrap.mjs';

const GUARD = join(import.meta.dirname, '../../scripts/guard.ts');

/** A program that starts another one, which does not end with it, tells both numbers and stays. */
const PROGRAM = `
  const child = require('node:child_process').spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  console.log(JSON.stringify([process.pid, child.pid]));
  setInterval(() => {}, 1000);
`;

async function startGuarded(parent: number): Promise<{ guard: ChildProcess; pids: number[] }> {
  const guard = spawn(process.execPath, [GUARD, String(parent), process.execPath, '--eval', PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: guard.stdout! }), 'line');
  return { guard, pids: [guard.pid!, ...JSON.parse(line)] };
}

/** The pipe closes when the last process of the group that holds it is gone. */
async function allGone(guard: ChildProcess, pids: number[]): Promise<boolean> {
  await once(guard, 'close');
  return pids.every((pid) => !isAlive(pid));
}

describe('the guard', () => {
  it('ends its whole group when it is told to stop', async () => {
    const { guard, pids } = await startGuarded(process.pid);
    expect(pids.every(isAlive)).toBe(true);
    guard.kill('SIGTERM');
    expect(await allGone(guard, pids)).toBe(true);
  });

  it('ends its whole group when the process that started it is gone', async () => {
    const parent = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
    const { guard, pids } = await startGuarded(parent.pid!);
    parent.kill('SIGKILL');
    expect(await allGone(guard, pids)).toBe(true);
  });

  it('ends what its program leaves behind', async () => {
    const { guard, pids } = await startGuarded(process.pid);
    process.kill(pids[1]!, 'SIGKILL');
    expect(await allGone(guard, pids)).toBe(true);
  });
});
