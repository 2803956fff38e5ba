import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Numbers of two processors, so that clients do not take time from the server they measure. */
export interface Processors {
  server: number;
  client: number;
}

/** Two of the processors that this process may use; undefined when there is one, or no `taskset` to choose with. */
export function chooseProcessors(): Processors | undefined {
  const { stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  const list = /([\d,-]+)\s*$/.exec(stdout ?? '')?.[1] ?? '';
  const [server, client] = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return server === undefined || client === undefined ? undefined : { server, client };
}

/** Keeps all threads of a process on one processor. */
export function pin(pid: number, processor: number | undefined): void {
  if (processor !== undefined) spawnSync('taskset', ['-acp', String(processor), String(pid)]);
}

/** Identifiers of the running programs of a name that this process has started. */
export function childrenNamed(name: string): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, command = ''] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && command.endsWith(name) ? [Number(pid)] : [];
  });
}

/** Memory of a process that is in use now, in MiB. */
export function residentMiB(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout) / 1024;
}

/**
 * Processor time of a process so far, in milliseconds; undefined where the system (other than Linux) does not tell it
 * so finely.
 */
export function processorMillis(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanos = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
    return nanos.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return undefined;
  }
}
