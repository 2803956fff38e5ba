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

const GUARDED = [GUARD, process.execPath, '--eval', PROGRAM];

/** The numbers of the program and of what it has started, once both run. */
async function programsOf({ stdout }: ChildProcess): Promise<number[]> {
  const [line] = await once(createInterface({ input: stdout! }), 'line');
  const pids: number[] = JSON.parse(line);
  for (const pid of pids) process.kill(pid, 0);
  return pids;
}

async function startGuarded(): Promise<{ guard: ChildProcess; program: number }> {
  const guard = spawn(process.execPath, GUARDED, { detached: true, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [program] = await programsOf(guard);
  return { guard, program: program! };
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
    const { guard } = await startGuarded();
    guard.kill('SIGTERM');
    expect(await ended(guard)).toBe('SIGKILL');
  });

  test('ends its whole group when the process that started it is gone', async () => {
    const stdio = `['ignore', 'inherit', 'inherit', 'ipc']`;
    const start = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(GUARDED)}, { detached: true, stdio: ${stdio} })`;
    const parent = spawn(process.execPath, ['--eval', start], { stdio: ['ignore', 'pipe', 'inherit'] });
    await programsOf(parent);
    parent.kill('SIGKILL');
    // Guard and programs hold the pipe of the parent, which closes with the last of them.
    expect(await ended(parent)).toBe('SIGKILL');
  });

  test('ends what its program leaves behind', async () => {
    const { guard, program } = await startGuarded();
    process.kill(program, 'SIGKILL');
    expect(await ended(guard)).toBe('SIGKILL');
  });
});
