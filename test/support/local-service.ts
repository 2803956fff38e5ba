import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { digestOfMigrations, MIGRATED } from '../../scripts/local-state.ts';
import type { ServiceRecord } from '../../scripts/service-record.ts';
import { freePort } from './free-port.ts';
import { cloneInto, newUser } from './fresh-clone.ts';
import { OF_D1 } from './migrated-database.ts';
import { placeDatabases } from './test-runtime.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface DemoFile {
  baseUrl: string;
  accountId: string;
  apiKey: string;
  templates: Record<string, string>;
}

/** A service that runs, and what it printed. */
interface Started {
  service: ChildProcess;
  printed: string;
}

/** A service as `npm start` runs it, on a port and a state of its own. */
export class LocalService {
  readonly folder = mkdtempSync(join(tmpdir(), 'local-service-'));
  readonly port: number;
  readonly baseUrl: string;
  readonly demoFile: string;
  /** Where the project is. */
  readonly #root: string;
  readonly #stateDir: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(port: number, more: NodeJS.ProcessEnv, isClone = false) {
    this.port = port;
    this.baseUrl = `http://localhost:${port}`;
    this.#root = isClone ? join(this.folder, 'clone') : ROOT;
    this.#stateDir = isClone ? join(this.#root, '.wrangler/state') : join(this.folder, 'state');
    const localDir = isClone ? join(this.#root, '.local') : join(this.folder, 'local');
    this.demoFile = join(localDir, 'demo.json');
    const places = { STATE_DIR: this.#stateDir, LOCAL_DIR: localDir, BASE_URL: '' };
    this.#env = isClone
      ? newUser(join(this.folder, 'home'), { PORT: String(port), ...more })
      : { ...process.env, PORT: String(port), ...places, ...more };
  }

  /** `more` are variables beside those that keep it apart from others, say HOST. */
  static async prepare(more: NodeJS.ProcessEnv = {}): Promise<LocalService> {
    return new LocalService(await freePort(), more);
  }

  /** A clone of its own, and a user with an empty home directory, who says nothing but on which port. */
  static async clone(): Promise<LocalService> {
    const local = new LocalService(await freePort(), {}, true);
    cloneInto(local.#root);
    return local;
  }

  /** Spares a first start the migrations, of which it makes half. */
  async migrateAhead(): Promise<void> {
    await placeDatabases(this.#stateDir, inject('worker').bundle, OF_D1);
    writeFileSync(join(this.#stateDir, MIGRATED), digestOfMigrations());
  }

  get demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8'));
  }

  /** Runs `npm start`'s script until it says that the service is running; returns what it printed. */
  async start(): Promise<Started> {
    return this.#untilRunning(this.run('scripts/start.ts'));
  }

  /** The same by a command as somebody types it. */
  async startBy(line: string): Promise<Started> {
    return this.#untilRunning(this.#spawn('bash', ['-c', `exec ${line}`]));
  }

  async #untilRunning(service: ChildProcess): Promise<Started> {
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      for (const stream of [service.stdout, service.stderr]) {
        stream?.on('data', (chunk) => {
          printed += chunk;
          if (printed.includes('Ctrl-C stops')) resolve();
        });
      }
      service.on('exit', () => reject(new Error(printed)));
    });
    return { service, printed };
  }

  /** Runs a script beside it, as npm does. */
  run(script: string, ...words: string[]): ChildProcess {
    return this.runAlone(this.#launcher, script, ...words);
  }

  /** Runs a script without the launcher, so that what happens to the process happens to the script. */
  runAlone(script: string, ...words: string[]): ChildProcess {
    return this.#spawn(process.execPath, [script, ...words]);
  }

  get #launcher(): string {
    return join(this.#root, 'scripts/run.mjs');
  }

  #spawn(program: string, words: string[]): ChildProcess {
    return spawn(program, words, { cwd: this.#root, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** What commands print, as somebody types them in the folder of the project. */
  async typed(lines: string): Promise<string> {
    const options = { cwd: this.#root, env: this.#env };
    return (await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${lines}`], options)).stdout;
  }

  /** What a script printed, once it has ended well; rejects otherwise. */
  async outputOf(script: string, ...words: string[]): Promise<string> {
    const options = { cwd: this.#root, env: this.#env };
    return (await promisify(execFile)(process.execPath, [this.#launcher, script, ...words], options)).stdout;
  }

  /** The reply of an administration command, by the entry of the service that runs: a process takes a second. */
  command<T>(name: string, options?: Record<string, unknown>): Promise<T> {
    return runAdminCommand<T>(this.record, name, options);
  }

  /** How to reach the service while it runs. */
  get record(): ServiceRecord {
    return JSON.parse(readFileSync(join(this.#stateDir, 'service.json'), 'utf8'));
  }

  /** The reply of an administration command as an operator types it. */
  async admin(...words: string[]) {
    return JSON.parse(await this.outputOf('scripts/admin.ts', ...words, '--json'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a program as Ctrl-C does; its exit code. */
export async function interrupt(program: ChildProcess): Promise<number> {
  const ended = once(program, 'close');
  program.kill('SIGINT');
  const [code] = await ended;
  return code;
}
