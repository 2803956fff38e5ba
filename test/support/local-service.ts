import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { recordMigrated } from '../../scripts/local-state.ts';
import type { ServiceRecord } from '../../scripts/service-record.ts';
import { freePort } from './free-port.ts';
import { cloneInto, newUser } from './fresh-clone.ts';
import { OF_D1 } from './migrated-database.ts';
import { placeDatabases } from './test-runtime.ts';
import { workerOptions } from './worker-bundle.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface DemoFile {
  baseUrl: string;
  accountId: string;
  apiKey: string;
  templates: Record<string, string>;
}

/** A running service, and its output. */
interface Started {
  service: ChildProcess;
  printed: string;
}

/** A service as run by `npm start`, with its own port and state. */
export class LocalService {
  readonly folder = mkdtempSync(join(tmpdir(), 'local-service-'));
  readonly port: number;
  readonly baseUrl: string;
  readonly demoFile: string;
  /** Folder of the project. */
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

  /** `more` are variables in addition to those that isolate it, such as HOST. */
  static async prepare(more: NodeJS.ProcessEnv = {}): Promise<LocalService> {
    return new LocalService(await freePort(), more);
  }

  /** Prepares its own clone for a user with an empty home directory, who only sets the port. */
  static async clone(): Promise<LocalService> {
    const local = new LocalService(await freePort(), {}, true);
    cloneInto(local.#root);
    return local;
  }

  /** Runs the migrations in advance, which are half of a first start. */
  async migrateAhead(): Promise<void> {
    const { bundle } = inject('worker');
    await placeDatabases(this.#stateDir, bundle, OF_D1);
    recordMigrated(this.#stateDir, Object.keys(workerOptions(bundle).d1Databases as object));
  }

  get demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8'));
  }

  /** Runs `npm start`'s script until it reports that the service is running, and returns its output. */
  async start(): Promise<Started> {
    return this.#untilRunning(this.run('scripts/start.ts'));
  }

  /** Does the same with a command as typed. */
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

  /** Runs a script next to it, like npm. */
  run(script: string, ...words: string[]): ChildProcess {
    return this.runAlone(this.#launcher, script, ...words);
  }

  /** Runs a script without the launcher, so that signals to the process reach the script. */
  runAlone(script: string, ...words: string[]): ChildProcess {
    return this.#spawn(process.execPath, [script, ...words]);
  }

  get #launcher(): string {
    return join(this.#root, 'scripts/run.mjs');
  }

  #spawn(program: string, words: string[]): ChildProcess {
    return spawn(program, words, { cwd: this.#root, env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Returns the output of commands, typed in the project's folder. */
  async typed(lines: string): Promise<string> {
    const options = { cwd: this.#root, env: this.#env };
    return (await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${lines}`], options)).stdout;
  }

  /** Returns a script's output once it has succeeded; rejects otherwise. */
  async outputOf(script: string, ...words: string[]): Promise<string> {
    const options = { cwd: this.#root, env: this.#env };
    return (await promisify(execFile)(process.execPath, [this.#launcher, script, ...words], options)).stdout;
  }

  /**
   * Returns an administration command's reply through the running service's entry, because a process takes a second.
   */
  command<T>(name: string, options?: Record<string, unknown>): Promise<T> {
    return runAdminCommand<T>(this.record, name, options);
  }

  /** How to reach the service while it runs. */
  get record(): ServiceRecord {
    return JSON.parse(readFileSync(join(this.#stateDir, 'service.json'), 'utf8'));
  }

  /** Returns the reply of an administration command as an operator types it. */
  async admin(...words: string[]) {
    return JSON.parse(await this.outputOf('scripts/admin.ts', ...words, '--json'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Ends a program like Ctrl-C, and returns its exit code. */
export async function interrupt(program: ChildProcess): Promise<number> {
  const ended = once(program, 'close');
  program.kill('SIGINT');
  const [code] = await ended;
  return code;
}
