import { spawn } from 'node:child_process';
import { whenStopRequested } from './stop-request.ts';

/*
 * Leads a process group and runs one program in it: node scripts/guard.ts <program> [arguments]. When the program ends,
 * when this process is asked to stop, or when the process that started it is gone, the whole group ends.
 */

const GRACE_MS = 4_000;

const [program, ...parameters] = process.argv.slice(2);
const child = spawn(program!, parameters, { stdio: 'inherit' });
child.on('error', end);
child.on('exit', end);
await whenStopRequested();
child.kill('SIGTERM');
setTimeout(end, GRACE_MS);

/** The group has the number of its leader. What the program has left behind ends here too. */
function end(): void {
  process.kill(-process.pid, 'SIGKILL');
}
