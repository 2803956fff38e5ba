import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Numbers of two processors, so that clients don't take time from the server being measured. */
export interface Processors {
  server: number;
  client: number;
}

/** Returns two of the processors available to this process; undefined if there is only one, or no `taskset`. */
export function chooseProcessors(): Processors | undefined {
  const { stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  const list = /([\d,-]+)\s*$/.exec(stdout ?? '')?.[1] ?? '';
  const [server, client] = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return server === undefined || client === undefined ? undefined : { server, client };
}

/** Pins all threads of a process to one processor. */
export function pin(pid: number, processor: number | undefined): void {
  if (processor !== undefined) spawnSync('taskset', ['-acp', String(processor), String(pid)]);
}

/** Returns process IDs of running programs with this name, started by this process. */
export function childrenNamed(name: string): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, command = ''] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && command.endsWith(name) ? [Number(pid)] : [];
  });
}

/** Returns a process's resident memory, in MiB. */
export function residentMiB(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout) / 1024;
}

/** Returns a process's processor time so far, in milliseconds; undefined on systems other than Linux. */
export function processorMillis(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanos = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
    return nanos.reduce((sum, each) => sum + each, 0) / 1e6;
  } catch {
    return undefined;
  }
}
