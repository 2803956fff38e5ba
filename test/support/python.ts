import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Answers calls in a persistent process: starting Python for each takes longer than the work. */
const SERVER = `
import json, struct, sys, traceback
exec(sys.argv[1])
source = sys.stdin.buffer
while length := source.read(8):
    given = source.read(struct.unpack('>Q', length)[0])
    try:
        answer = {'value': answer_to(given)}
    except Exception:
        answer = {'problem': traceback.format_exc()}
    print(json.dumps(answer), flush=True)
`;

/**
 * Returns the function `answer_to(given)` of a Python 3 program, which takes bytes and returns JSON. Calls run in
 * sequence; a Python exception becomes a thrown error.
 */
export function pythonFunction<T>(program: string): (given: Uint8Array) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let started: ReturnType<typeof start> | undefined;
  return (given) => {
    started ??= start(program);
    const { ask } = started;
    const answer = last.then(() => ask(given));
    last = answer.catch(() => {});
    return answer as Promise<T>;
  };
}

function start(program: string) {
  // Skips the machine's site modules, which take most of the startup time.
  const child = spawn('python3', ['-IS', '-c', SERVER, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  // Must not keep the test process alive.
  for (const held of [child, child.stdin, child.stdout]) (held as unknown as { unref(): void }).unref();
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('Python has ended')));
  ended.catch(() => {});
  return {
    async ask(given: Uint8Array): Promise<unknown> {
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(given.length));
      const line = once(lines, 'line');
      child.stdin.write(Buffer.concat([length, given]));
      const { value, problem } = JSON.parse((await Promise.race([line, ended]))[0]);
      if (problem !== undefined) throw new Error(problem);
      return value;
    },
  };
}
