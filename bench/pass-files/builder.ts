import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Round } from '../load.ts';
import { pin } from '../processors.ts';

/** Builds pass files from one sample. */
export interface Builder {
  /** Builds passes one after another for some seconds. */
  run(seconds: number): Promise<Round & { bytes: number }>;
  /** Returns one pass file for inspection. */
  file(): Promise<Buffer>;
  stop(): void;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Runs a script that calls `serveBuilder` in its own Node process. */
export function nodeBuilder(script: string, folder: string, processor: number | undefined): Builder {
  const child = spawn(process.execPath, [script, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  if (child.pid !== undefined) pin(child.pid, processor);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    child.stdin.write(`${question}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error(`${script} ended before it answered`);
    return JSON.parse(value);
  };
  return {
    run: async (seconds) => ({ ...(await ask(String(seconds))), latencies: [] }),
    file: async () => Buffer.from((await ask('file')).file, 'base64'),
    stop: () => child.kill(),
  };
}

/** Passes per request to workerd: enough to make the request's own cost small. */
const PASSES_A_REQUEST = 50;

/** Names of the card and key in the Worker's bindings. */
const PASS = 'card=pass&key=rsa';

/** The product's builder in workerd; see `worker/index.ts`. */
export function workerBuilder(origin: string): Builder {
  const get = async (path: string) => {
    const reply = await fetch(origin + path);
    if (!reply.ok) throw new Error(`the builder in workerd answered ${reply.status}: ${await reply.text()}`);
    return Buffer.from(await reply.arrayBuffer());
  };
  return {
    async run(seconds) {
      const begin = performance.now();
      let built = 0;
      let bytes = 0;
      while (built === 0 || performance.now() - begin < seconds * 1000) {
        bytes = Number(await get(`/?${PASS}&count=${PASSES_A_REQUEST}`)) / PASSES_A_REQUEST;
        built += PASSES_A_REQUEST;
      }
      return { rate: (built * 1000) / (performance.now() - begin), bytes, latencies: [] };
    },
    file: () => get(`/file?${PASS}`),
    stop: () => {},
  };
}
