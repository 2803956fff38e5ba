import { createInterface } from 'node:readline';

/*
 * Builds pass files in a Node process of its own: `build-process.ts <module> <folder>`. The module's `prepare(folder)` gives a function that builds one pass
 * of a serial number. Each line of input is a number of seconds, and is answered with a line `{"rate", "bytes"}`; the line `file` with
 * `{"file"}`, a pass in base64.
 */

type Build = (serialNumber: string) => Uint8Array | Promise<Uint8Array>;

const [, , module = '', folder = ''] = process.argv;
const { prepare } = (await import(module)) as { prepare(folder: string): Promise<Build> };
const build = await prepare(folder);

for await (const line of createInterface({ input: process.stdin })) {
  const answer =
    line === 'file' ? { file: Buffer.from(await build('sample')).toString('base64') } : await run(Number(line));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

async function run(seconds: number): Promise<{ rate: number; bytes: number }> {
  const begin = performance.now();
  let built = 0;
  let bytes = 0;
  while (built === 0 || performance.now() - begin < seconds * 1000) {
    built++;
    bytes = (await build(`pass-${built}`)).length;
  }
  return { rate: (built * 1000) / (performance.now() - begin), bytes };
}
