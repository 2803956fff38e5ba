import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../scripts/stop-request.ts');

/** A program that runs until it is asked to stop, and then reports it. */
const PROGRAM = `
  import { whenStopRequested } from ${JSON.stringify(MODULE)};
  const stopRequested = whenStopRequested();
  setInterval(() => {}, 1000);
  console.log(process.pid);
  await stopRequested;
  console.log('stops');
  process.exit();
`;
const RUN = [process.execPath, '--input-type=module', '--eval', PROGRAM] as const;

const linesOf = async (input: NodeJS.ReadableStream) => {
  const lines: string[] = [];
  for await (const line of createInterface({ input })) lines.push(line);
  return lines;
};

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s requests a stop', async (signal) => {
  const [node, ...parameters] = RUN;
  const child = spawn(node, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => child.kill(signal));
  expect(await linesOf(child.stdout)).toEqual([String(child.pid), 'stops']);
});

test('the end of the parent process requests a stop, as when npm is killed', async () => {
  const start = `
    const { spawn } = require('node:child_process');
    const [node, ...parameters] = ${JSON.stringify(RUN)};
    spawn(node, parameters, { stdio: 'inherit' });
  `;
  const starter = spawn(process.execPath, ['--eval', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  starter.stdout.once('data', () => starter.kill('SIGKILL'));
  const closed = once(starter, 'close');
  expect(await linesOf(starter.stdout)).toEqual([expect.stringMatching(/^\d+$/), 'stops']);
  await closed;
});

test('no shell between npm and a script hides the end of npm', () => {
  const file = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const { start, dev, listen, phone, 'apns-relay': relay } = JSON.parse(file).scripts;
  for (const command of [start, dev, listen, phone, relay]) expect(command).toMatch(/^exec node scripts\/run\.mjs /);
});
