import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN_COMMANDS } from '../src/admin/commands.ts';
import { type AdminArguments, parseAdminArguments } from './admin-arguments.ts';
import { type AdminAddress, runAdminCommand } from './admin-client.ts';
import { toCommandOptions } from './command-options.ts';
import { prepareDirectory } from './files.ts';
import { lastBaseUrl, localEncryptionKeys, migrate } from './local-state.ts';
import { freePort } from './ports.ts';
import { prepareRemote } from './remote-worker.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { claimState, releaseState } from './service-record.ts';
import { Problem, readSettings } from './settings.ts';
import { startWorker } from './worker-process.ts';

/*
 * npm run -s admin -- <command> [options] [--json] [--remote]: what an operator does. The command runs inside the
 * Worker: in the service when it runs on this STATE_DIR, otherwise in a Worker that is started for it. Standard output
 * has the reply, or with --json and after a failure {"error"}.
 */

type Command = { name: string; options: Record<string, unknown> };

const LOOPBACK = '127.0.0.1';
const ADMIN_TOKEN_BYTES = 32;
const json = process.argv.includes('--json');

try {
  const given = parseAdminArguments(process.argv.slice(2));
  if (given.help || !given.command) console.log(usage());
  else print(await run(given));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (json) console.log(JSON.stringify({ error: message }));
  console.error(error instanceof Problem ? message : error);
  process.exitCode = 1;
}

async function run(given: AdminArguments): Promise<unknown> {
  if (!Object.hasOwn(ADMIN_COMMANDS, given.command)) {
    throw new Problem(`Unknown command "${given.command}"; npm run -s admin -- --help lists all commands.`);
  }
  const command = { name: given.command, options: toCommandOptions(given.command, given.options) };
  prepareCheckout();
  return given.remote ? runOnRemoteState(command) : runOnLocalState(command);
}

async function runOnLocalState({ name, options }: Command): Promise<unknown> {
  const settings = readSettings(process.env);
  const { stateDir } = settings;
  const baseUrl = lastBaseUrl(settings, process.env);
  prepareDirectory(stateDir, 'STATE_DIR');
  const running = await claimState(stateDir);
  if (running) return runAdminCommand(running, name, options);
  try {
    await migrate(stateDir);
    const variables = { ...localEncryptionKeys(stateDir, process.env), BASE_URL: baseUrl };
    return await runInOwnWorker(await newAddress(), { stateDir, variables }, { name, options });
  } finally {
    releaseState(stateDir);
  }
}

async function runOnRemoteState(command: Command): Promise<unknown> {
  const stateDir = mkdtempSync(join(tmpdir(), 'pass-wallet-admin-'));
  try {
    const { config, variables } = prepareRemote(stateDir, process.env);
    if (command.name === 'sign-in-link' && !variables.BASE_URL) {
      throw new Problem(
        'A sign-in link for the deployed service needs its address: set BASE_URL, here or in wrangler.toml.',
      );
    }
    return await runInOwnWorker(await newAddress(), { stateDir, config, variables }, command);
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function runInOwnWorker(
  address: AdminAddress & { port: number },
  worker: { stateDir: string; config?: string; variables: Record<string, string> },
  { name, options }: Command,
): Promise<unknown> {
  const variables = { ...worker.variables, ADMIN_TOKEN: address.adminToken };
  const { stop } = await startWorker({ ...worker, ...address, host: LOOPBACK, variables });
  try {
    return await runAdminCommand(address, name, options);
  } finally {
    await stop();
  }
}

async function newAddress(): Promise<AdminAddress & { port: number }> {
  const port = await freePort();
  const adminToken = randomBytes(ADMIN_TOKEN_BYTES).toString('base64url');
  return { port, origin: `http://${LOOPBACK}:${port}`, adminToken };
}

function print(reply: unknown): void {
  if (json) console.log(JSON.stringify(reply));
  else if (Array.isArray(reply) && reply.length === 0) console.log('None.');
  else if (Array.isArray(reply)) console.table(reply);
  else for (const [name, value] of Object.entries(reply as object)) console.log(`${name}: ${textOf(value)}`);
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function usage(): string {
  const lines = Object.values(ADMIN_COMMANDS).map(({ usage }) => `  ${usage}`);
  return `npm run -s admin -- <command> [options] [--json] [--remote]\n\n${lines.join('\n')}\n
--json    prints the reply as JSON
--remote  works on the deployed database; needs "npx wrangler login" (or CLOUDFLARE_API_TOKEN) and the secrets ENCRYPTION_KEYS and ENCRYPTION_KEY, if they are set there, in the environment
Without --remote it works on STATE_DIR (default .wrangler/state), also while the service runs.`;
}
