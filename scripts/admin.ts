import { ADMIN_COMMANDS } from '../src/admin/commands.ts';
import type { StatusView } from '../src/admin/status-view.ts';
import type { MoveUnderWay } from '../src/domain/account-moves/move-account.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { type AdminArguments, parseAdminArguments } from './admin-arguments.ts';
import { LostAnswer } from './admin-client.ts';
import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { toCommandOptions } from './command-options.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { Problem } from './settings.ts';
import { statusText } from './status-text.ts';

/*
 * npm run -s admin -- <command> [options] [--json] [--remote]: what an operator does. The command runs inside the
 * Worker: in the service when it runs on this STATE_DIR, otherwise in a Worker that is started for it. Standard output
 * has the reply, or with --json and after a failure {"error"}.
 */

const json = process.argv.includes('--json');

try {
  const given = parseAdminArguments(process.argv.slice(2));
  if (given.help || !given.command) console.log(usage());
  else print(given.command, await run(given));
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
  const options = toCommandOptions(given.command, given.options);
  const repeat = { repeatKey: given.repeat ?? uuidv7(), isRepeat: given.repeat !== undefined };
  prepareCheckout();
  const work = async (runCommand: RunCommand) => {
    for (;;) {
      const reply = await runCommand(given.command, options, repeat).catch((error: unknown) => {
        if (error instanceof LostAnswer) error.message += `\n${repeatHint(repeat.repeatKey)}`;
        throw error;
      });
      if (!isUnfinished(reply)) return reply;
      console.error(reply.table === null ? 'Removing an earlier copy' : `Copying ${reply.table}`);
    }
  };
  if (!given.remote) return onLocalState(work);
  return onRemoteState(work, { needsAddress: given.command === 'sign-in-link' ? 'A sign-in link' : undefined });
}

function repeatHint(key: string): string {
  return `It may have been carried out. To run it again without doing anything twice, add --repeat ${key}`;
}

/** A command with more work than fits in one call asks to be called again. */
function isUnfinished(reply: unknown): reply is MoveUnderWay {
  return (reply as Partial<MoveUnderWay> | null)?.done === false;
}

function print(command: string, reply: unknown): void {
  // Scripts that watch the service look at this alone.
  if (command === 'status' && !(reply as StatusView).healthy) process.exitCode = 1;
  if (json) console.log(JSON.stringify(reply));
  else if (command === 'status') console.log(statusText(reply as StatusView));
  else if (Array.isArray(reply) && reply.length === 0) console.log('None.');
  else if (Array.isArray(reply)) console.table(reply);
  else for (const [name, value] of Object.entries(reply as object)) console.log(`${name}: ${textOf(value)}`);
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function usage(): string {
  const lines = Object.values(ADMIN_COMMANDS).flatMap(({ usage }) => (usage === '' ? [] : [`  ${usage}`]));
  return `npm run -s admin -- <command> [options] [--json] [--remote] [--repeat K]\n\n${lines.join('\n')}\n
--json    prints the reply as JSON
--repeat  K repeats a command whose answer was lost, within a day: what it created then, it doesn't create again
--remote  works on the deployed database; needs "npx wrangler login" (or CLOUDFLARE_API_TOKEN) and the secrets
          ENCRYPTION_KEYS and ENCRYPTION_KEY, if they are set there, in the environment
Without --remote it works on STATE_DIR (default .wrangler/state), also while the service runs.`;
}
