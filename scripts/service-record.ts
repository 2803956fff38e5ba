import { spawnSync } from 'node:child_process';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './bootstrap.mjs';
import { readJson, writePrivateJson } from './files.ts';
import { Problem } from './settings.ts';

/**
 * Who uses a state directory, one process at a time, and how to reach its Worker. Kept in `STATE_DIR/service.json`,
 * mode 0600.
 */
export interface ServiceRecord {
  pid: number;
  baseUrl: string;
  /** Where its Worker listens. */
  origin: string;
  adminToken: string;
  /** Only a service that is `ready` takes the commands of others; a `command` is gone in a moment. */
  state: 'starting' | 'ready' | 'command';
}

/**
 * Numbers of processes repeat, in a container at every start: when its process began tells a record's owner from
 * another of that number.
 */
interface KeptRecord extends ServiceRecord {
  began?: string;
}

const CHECK_MS = 100;
const WAIT_MS_MAX = 60_000;
const HEALTH_MS_MAX = 3_000;

const fileOf = (stateDir: string) => join(stateDir, 'service.json');

/**
 * Takes the state directory for `record`, or returns the record of the service that runs on it. Waits while a command
 * uses it and while a service starts; throws a `Problem` when that takes longer than a minute. The record of a process
 * that is gone counts for nothing.
 */
export async function claimState(
  stateDir: string,
  record: ServiceRecord,
  waitMs = WAIT_MS_MAX,
): Promise<ServiceRecord | undefined> {
  const deadline = Date.now() + waitMs;
  while (!placeRecord(stateDir, record)) {
    const holder = readJson<KeptRecord>(fileOf(stateDir));
    if (!holder) continue;
    if (isGone(holder)) {
      dropRecord(stateDir, holder);
      continue;
    }
    if (holder.state === 'ready' && (await isHealthy(holder.origin))) return holder;
    if (Date.now() > deadline) {
      throw new Problem(
        `${stateDir} is used by process ${holder.pid}, which does not answer at ${holder.origin}: stop that process, or delete ${fileOf(stateDir)} if it is another program.`,
      );
    }
    await delay(CHECK_MS);
  }
  return undefined;
}

/** Replaces the record that this process has placed. */
export function updateRecord(stateDir: string, record: ServiceRecord): void {
  writePrivateJson(fileOf(stateDir), kept(record));
}

/** Gives the state directory back, if this process holds it. */
export function releaseState(stateDir: string): void {
  dropRecord(stateDir, { pid: process.pid, began: beginningOf(process.pid) });
}

/** Whether a Worker at this origin answers and reaches its database. */
export async function isHealthy(origin: string): Promise<boolean> {
  try {
    const reply = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) });
    return reply.ok;
  } catch {
    return false;
  }
}

/** Links a finished file, so that of two processes exactly one places its record, and nobody reads half of one. */
function placeRecord(stateDir: string, record: ServiceRecord): boolean {
  const own = join(stateDir, `service.${process.pid}.json`);
  writePrivateJson(own, kept(record));
  try {
    linkSync(own, fileOf(stateDir));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function dropRecord(stateDir: string, { pid, began }: Pick<KeptRecord, 'pid' | 'began'>): void {
  const found = readJson<KeptRecord>(fileOf(stateDir));
  if (found?.pid === pid && found.began === began) rmSync(fileOf(stateDir), { force: true });
}

function kept(record: ServiceRecord): KeptRecord {
  return { ...record, began: beginningOf(record.pid) };
}

/** A record with our own number that we have not placed is of a process before us. */
function isGone({ pid, began }: KeptRecord): boolean {
  return pid === process.pid || !isAlive(pid) || (began !== undefined && began !== beginningOf(pid));
}

/** When a process began, in the words of its system; undefined where that cannot be known. */
function beginningOf(pid: number): string | undefined {
  try {
    // Behind the name, which can hold anything: field 22 counts from the system's start (proc_pid_stat(5)).
    const [, ticks] = /^.*\) (?:\S+ ){19}(\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return ticks && `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() || undefined;
  }
}
