import { createInterface } from 'node:readline';

/** Builds one pass file with a serial number. */
export type Build = (serialNumber: string) => Uint8Array | Promise<Uint8Array>;

/**
 * Turns this process into a builder that reads commands from its parent, one per line. A number of seconds returns
 * `{"rate", "bytes"}`: passes per second and bytes per pass. `file` returns `{"file"}`, a pass in base64. `prepare`
 * gets the sample's folder, the only argument.
 */
export async function serveBuilder(prepare: (folder: string) => Promise<Build>): Promise<void> {
  const [, , folder = ''] = process.argv;
  const build = await prepare(folder);
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = line === 'file' ? { file: await base64Of(build) } : await buildFor(Number(line), build);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

async function base64Of(build: Build): Promise<string> {
  return Buffer.from(await build('sample')).toString('base64');
}

async function buildFor(seconds: number, build: Build): Promise<{ rate: number; bytes: number }> {
  const begin = performance.now();
  let built = 0;
  let bytes = 0;
  while (built === 0 || performance.now() - begin < seconds * 1000) {
    built++;
    bytes = (await build(`pass-${built}`)).length;
  }
  return { rate: (built * 1000) / (performance.now() - begin), bytes };
}
