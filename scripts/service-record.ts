import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './bootstrap.mjs';
import { readJson, writePrivateJson } from './files.ts';
import { Problem } from './settings.ts';

/** Who uses a state directory, one process at a time, and how to reach its Worker. Kept in `STATE_DIR/service.json`, mode 0600. */
export interface ServiceRecord {
  pid: number;
  baseUrl: string;
  /** Where its Worker listens. */
  origin: string;
  adminToken: string;
  /** Only a service that is `ready` takes the commands of others; a `command` is gone in a moment. */
  state: 'starting' | 'ready' | 'command';
}

const CHECK_MS = 100;
const WAIT_MS_MAX = 60_000;
const HEALTH_MS_MAX = 3_000;

const fileOf = (stateDir: string) => join(stateDir, 'service.json');

/**
 * Takes the state directory for `record`, or returns the record of the service that runs on it. Waits while a command uses it and while a
 * service starts; throws a `Problem` when that takes longer than a minute. The record of a process that is gone counts for nothing.
 */
export async function claimState(
  stateDir: string,
  record: ServiceRecord,
  waitMs = WAIT_MS_MAX,
): Promise<ServiceRecord | undefined> {
  const deadline = Date.now() + waitMs;
  while (!placeRecord(stateDir, record)) {
    const holder = readJson<ServiceRecord>(fileOf(stateDir));
    if (!holder) continue;
    if (!isAlive(holder.pid)) {
      dropRecord(stateDir, holder.pid);
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
  writePrivateJson(fileOf(stateDir), record);
}

/** Gives the state directory back, if this process holds it. */
export function releaseState(stateDir: string): void {
  dropRecord(stateDir, process.pid);
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
  writePrivateJson(own, record);
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

function dropRecord(stateDir: string, pid: number): void {
  if (readJson<ServiceRecord>(fileOf(stateDir))?.pid === pid) rmSync(fileOf(stateDir), { force: true });
}
