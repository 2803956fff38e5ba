import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';

const GUARD = join(import.meta.dirname, '../../scripts/guard.ts');

/**
 * A program that starts another one, which does not end with it, tells both numbers and stays. Both hold the pipe of
 * standard output.
 */
const PROGRAM = `
  const child = require('node:child_process').spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  console.log(JSON.stringify([process.pid, child.pid]));
  setInterval(() => {}, 1000);
`;

async function startGuarded(parent: number): Promise<{ guard: ChildProcess; program: number }> {
  const guard = spawn(process.execPath, [GUARD, String(parent), process.execPath, '--eval', PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: guard.stdout! }), 'line');
  const [program, child] = JSON.parse(line);
  for (const pid of [guard.pid!, program, child]) process.kill(pid, 0);
  return { guard, program };
}

/**
 * Waits until the last process that holds the pipe has ended; its number stays taken until its new parent asks for it,
 * so numbers tell nothing. Answers what ended the guard.
 */
async function ended(guard: ChildProcess): Promise<NodeJS.Signals | null> {
  const [, signal] = await once(guard, 'close');
  return signal;
}

describe('the guard', () => {
  test('ends its whole group when it is told to stop', async () => {
    const { guard } = await startGuarded(process.pid);
    guard.kill('SIGTERM');
    expect(await ended(guard)).toBe('SIGKILL');
  });

  test('ends its whole group when the process that started it is gone', async () => {
    const parent = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
    const { guard } = await startGuarded(parent.pid!);
    parent.kill('SIGKILL');
    expect(await ended(guard)).toBe('SIGKILL');
  });

  test('ends what its program leaves behind', async () => {
    const { guard, program } = await startGuarded(process.pid);
    process.kill(program, 'SIGKILL');
    expect(await ended(guard)).toBe('SIGKILL');
  });
});
