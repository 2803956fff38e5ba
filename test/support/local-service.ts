import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runAdminCommand } from '../../scripts/admin-client.ts';
import { digestOfMigrations, MIGRATED } from '../../scripts/local-state.ts';
import type { ServiceRecord } from '../../scripts/service-record.ts';
import { freePort } from './free-port.ts';
import { placeDatabases } from './test-runtime.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUN = join(ROOT, 'scripts/run.mjs');

export interface DemoFile {
  baseUrl: string;
  accountId: string;
  apiKey: string;
  templates: Record<string, string>;
}

/** A service as `npm start` runs it, on a port and a state of its own. */
export class LocalService {
  readonly folder = mkdtempSync(join(tmpdir(), 'local-service-'));
  readonly port: number;
  readonly baseUrl: string;
  readonly demoFile = join(this.folder, 'local/demo.json');
  readonly #env: NodeJS.ProcessEnv;

  private constructor(port: number, more: NodeJS.ProcessEnv) {
    this.port = port;
    this.baseUrl = `http://localhost:${port}`;
    this.#env = {
      ...process.env,
      PORT: String(port),
      STATE_DIR: join(this.folder, 'state'),
      LOCAL_DIR: join(this.folder, 'local'),
      BASE_URL: '',
      ...more,
    };
  }

  /** `more` are variables beside those that keep it apart from others, say HOST. */
  static async prepare(more: NodeJS.ProcessEnv = {}): Promise<LocalService> {
    return new LocalService(await freePort(), more);
  }

  /** Spares a first start the migrations, of which it makes half. */
  async migrateAhead(): Promise<void> {
    const state = join(this.folder, 'state');
    await placeDatabases(state);
    writeFileSync(join(state, MIGRATED), digestOfMigrations());
  }

  get demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8'));
  }

  /** Runs `npm start`'s script until it says that the service is running; returns what it printed. */
  async start(): Promise<{ service: ChildProcess; printed: string; millis: number }> {
    const startedAt = Date.now();
    const service = this.run('scripts/start.ts');
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
    return { service, printed, millis: Date.now() - startedAt };
  }

  /** Runs a script beside it, as npm does. */
  run(script: string, ...words: string[]): ChildProcess {
    return this.runAlone(RUN, script, ...words);
  }

  /** Runs a script without the launcher, so that what happens to the process happens to the script. */
  runAlone(script: string, ...words: string[]): ChildProcess {
    return spawn(process.execPath, [script, ...words], {
      cwd: ROOT,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** What a script printed, once it has ended well; rejects otherwise. */
  async outputOf(script: string, ...words: string[]): Promise<string> {
    const options = { cwd: ROOT, env: this.#env };
    return (await promisify(execFile)(process.execPath, [RUN, script, ...words], options)).stdout;
  }

  /** The reply of an administration command, by the entry of the service that runs: a process takes a second. */
  command<T>(name: string, options?: Record<string, unknown>): Promise<T> {
    return runAdminCommand<T>(this.record, name, options);
  }

  /** How to reach the service while it runs. */
  get record(): ServiceRecord {
    return JSON.parse(readFileSync(join(this.folder, 'state/service.json'), 'utf8'));
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
