import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Programs that other tests start with the pages' options; they need their own service or a person. */
const STARTED_ELSEWHERE = /^(npm|npx|openssl) /m;

/** A tool that the commands need and this machine lacks, or undefined. */
export const missingTool = ['bash', 'curl', 'jq'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

/** Writes `npm start`'s facts about the demo into a folder. */
export function writeDemoFile(folder: string, facts: object): void {
  mkdirSync(join(folder, '.local'), { recursive: true });
  writeFileSync(join(folder, '.local', 'demo.json'), JSON.stringify(facts));
}

/**
 * Returns the output of a page's commands, run in a folder with such facts. The process of the test goes on meanwhile:
 * the service may call it.
 */
export async function runPage(page: string, folder: string): Promise<string> {
  const commands = blocksOf(page).filter((code) => !STARTED_ELSEWHERE.test(code));
  const script = ['set -euo pipefail', ...commands].join('\n');
  return (await promisify(execFile)('bash', ['-c', script], { cwd: folder })).stdout;
}

/** Returns the blocks of shell commands in order; those in a list are indented. */
function blocksOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent, code]) =>
    code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
