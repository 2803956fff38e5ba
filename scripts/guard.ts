import { spawn } from 'node:child_process';
import { isAlive } from './bootstrap.mjs';

/*
 * Leads a process group and runs one program in it: node scripts/guard.ts <parent> <program> [arguments]. When the
 * program ends, when this process is told to stop, or when the process with the number <parent> is gone, the whole
 * group ends.
 */

const PARENT_CHECK_MS = 500;
const GRACE_MS = 4_000;

const [parent, program, ...parameters] = process.argv.slice(2);
const child = spawn(program!, parameters, { stdio: 'inherit' });
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
setInterval(() => {
  if (!isAlive(Number(parent))) stop();
}, PARENT_CHECK_MS);
child.on('error', end);
child.on('exit', end);

function stop(): void {
  if (stopping) return;
  stopping = true;
  child.kill('SIGTERM');
  setTimeout(end, GRACE_MS);
}

/** The group has the number of its leader. What the program has left behind ends here too. */
function end(): void {
  process.kill(-process.pid, 'SIGKILL');
}
