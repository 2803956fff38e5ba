import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { typed } from './cli/program.ts';
import { readJson, writePrivateJson } from './files.ts';
import { Problem } from './settings.ts';

/** How to reach the service that runs on a state directory. Stored in `STATE_DIR/service.json`, mode 0600. */
export interface ServiceRecord {
  pid: number;
  baseUrl: string;
  /** Where its Worker listens. */
  origin: string;
  adminToken: string;
}

const CHECK_MS = 100;
const WAIT_MS_MAX = 60_000;
const HEALTH_MS_MAX = 3_000;
/** SQLite result code: another connection has the lock. */
const SQLITE_BUSY = 5;

/** This process's locks by state directory. The system releases them when the process ends for any reason. */
const held = new Map<string, DatabaseSync>();

const fileOf = (stateDir: string) => join(stateDir, 'service.json');

/**
 * Locks the state directory for this process, or returns the record of the service that runs on it. Waits for commands
 * and for a service that is starting. Throws a `Problem` if that takes over a minute.
 */
export async function claimState(stateDir: string, waitMs = WAIT_MS_MAX): Promise<ServiceRecord | undefined> {
  const deadline = Date.now() + waitMs;
  while (!lock(stateDir)) {
    const running = readJson<ServiceRecord>(fileOf(stateDir));
    if (running && (await isHealthy(running.origin))) return running;
    if (Date.now() > deadline) {
      const who = running ? `process ${running.pid}, which does not answer at ${running.origin}` : 'another process';
      throw new Problem(`${stateDir} is used by ${who}: stop that process, and try again.`);
    }
    await delay(CHECK_MS);
  }
  // A killed service leaves its record behind.
  rmSync(fileOf(stateDir), { force: true });
  return undefined;
}

/** Returns the record of the service that runs on the state directory; undefined if none does. */
export async function findService(stateDir: string): Promise<ServiceRecord | undefined> {
  const record = readJson<ServiceRecord>(fileOf(stateDir));
  return record && (await isHealthy(record.origin)) ? record : undefined;
}

/** Returns the record of the service that runs on the state directory. Throws a `Problem` if none does. */
export async function getService(stateDir: string): Promise<ServiceRecord> {
  const record = await findService(stateDir);
  if (record) return record;
  throw new Problem(
    `No service runs on ${stateDir}. Run ${typed('start')} in another terminal, or set STATE_DIR to the folder of your service.`,
  );
}

/** Publishes how to reach this process's service. The process must hold the state directory. */
export function publishRecord(stateDir: string, record: ServiceRecord): void {
  writePrivateJson(fileOf(stateDir), record);
}

/** Releases the state directory if this process holds it. */
export function releaseState(stateDir: string): void {
  const own = held.get(stateDir);
  if (!own) return;
  rmSync(fileOf(stateDir), { force: true });
  own.close();
  held.delete(stateDir);
}

/** Whether the Worker at this origin answers and reaches its database. */
export async function isHealthy(origin: string): Promise<boolean> {
  try {
    const reply = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) });
    return reply.ok;
  } catch {
    return false;
  }
}

/** Node has no file locks; SQLite has them on every system. */
function lock(stateDir: string): boolean {
  const database = new DatabaseSync(join(stateDir, 'service.lock'));
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
  held.set(stateDir, database);
  return true;
}
