import { ADMIN_COMMANDS } from '../src/admin/commands.ts';
import type { StatusView } from '../src/admin/service-commands.ts';
import type { MoveUnderWay } from '../src/domain/account-moves/move-account.ts';
import { STREAMED } from '../src/domain/account-moves/moved-tables.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { type AdminArguments, parseAdminArguments } from './admin-arguments.ts';
import { LostAnswer } from './admin-client.ts';
import { onLocalState, onRemoteState, type RunCommand } from './admin-worker.ts';
import { knownAdminCommands } from './cli/admin-commands.ts';
import { adminHelp } from './cli/help.ts';
import { meant } from './cli/nearest.ts';
import { typed } from './cli/program.ts';
import { Progress } from './cli/progress.ts';
import { toCommandOptions } from './command-options.ts';
import { prepareCheckout } from './run-wrangler.ts';
import { runMain, UsageProblem } from './settings.ts';
import { statusText } from './status-text.ts';

/*
 * npm run -s admin -- <command> [options] [--json] [--remote]: runs an operator's command inside the Worker. If no
 * service runs on this STATE_DIR, a Worker is started for the command. Standard output has the reply; with --json, a
 * failure prints {"error"}.
 */

/** Steps of a move: remove an earlier copy, then copy each table. */
const MOVE_STEPS = 2 * STREAMED.length + 1;

await runMain(
  async () => {
    const given = parseAdminArguments(process.argv.slice(2));
    if (given.help || !given.command) {
      const known = knownAdminCommands();
      console.log(given.json ? JSON.stringify(known) : adminHelp(known, given.command));
      return;
    }
    Object.assign(process.env, given.places);
    print(given, await run(given));
  },
  { interrupted: 'Interrupted. The command may have run. Check the result, or run it again.' },
);

async function run(given: AdminArguments): Promise<unknown> {
  if (!Object.hasOwn(ADMIN_COMMANDS, given.command)) {
    const names = knownAdminCommands().map(({ name }) => name);
    const group = names.filter((name) => name.startsWith(`${given.command} `)).join(', ');
    const near = group ? ` Did you mean one of ${group}?` : meant(given.command, names);
    throw new UsageProblem(
      `Unknown command "${given.command}"; ${typed('admin', '--help')} lists all commands.${near}`,
    );
  }
  const options = toCommandOptions(given.command, given.options);
  const repeat = { repeatKey: given.repeat ?? uuidv7(), isRepeat: given.repeat !== undefined };
  prepareCheckout();
  const progress = new Progress(MOVE_STEPS);
  const work = async (runCommand: RunCommand) => {
    for (;;) {
      const reply = await runCommand(given.command, options, repeat).catch((error: unknown) => {
        if (error instanceof LostAnswer) error.message += `\n${repeatHint(repeat.repeatKey)}`;
        throw error;
      });
      if (!isUnfinished(reply)) return reply;
      const place = STREAMED.findIndex(({ name }) => name === reply.table) + (reply.isComparing ? STREAMED.length : 0);
      const action = reply.isComparing ? 'Comparing' : 'Copying';
      progress.step(reply.table === null ? 'Removing an earlier copy' : `${action} ${reply.table}`, place + 2);
    }
  };
  try {
    if (!given.remote) return await onLocalState(work);
    return await onRemoteState(work, { needsAddress: given.command === 'sign-in-link' ? 'A sign-in link' : undefined });
  } finally {
    progress.end();
  }
}

function repeatHint(key: string): string {
  return `The command may have run. To repeat it safely, add --repeat ${key}`;
}

/** Whether a command with too much work for one call must be called again. */
function isUnfinished(reply: unknown): reply is MoveUnderWay {
  return (reply as Partial<MoveUnderWay> | null)?.done === false;
}

function print({ command, json }: AdminArguments, reply: unknown): void {
  // Monitoring scripts check only the exit code.
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
