import { knownAdminCommands } from './cli/admin-commands.ts';
import { COMPLETION, SHELLS } from './cli/commands/completion.ts';
import { bashCompletion } from './cli/completion/bash.ts';
import { fishCompletion } from './cli/completion/fish.ts';
import { placesOf } from './cli/completion/model.ts';
import { zshCompletion } from './cli/completion/zsh.ts';
import { meant } from './cli/nearest.ts';
import { readCommandLine } from './cli/parse-words.ts';
import { runMain, UsageProblem } from './settings.ts';

/* pass-wallet completion <shell>: prints a script that completes commands, options and their values. */

const MADE = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

await runMain(async () => {
  const { values, words } = await readCommandLine('completion', COMPLETION);
  const shell = SHELLS.find((one) => one === words[0]);
  if (!shell || words.length > 1) {
    throw new UsageProblem(`Name one shell: ${SHELLS.join(', ')}.${meant(words[0] ?? '', SHELLS)}`);
  }
  const script = MADE[shell](placesOf(knownAdminCommands()));
  if (values.json) console.log(JSON.stringify({ shell, script }));
  else process.stdout.write(script);
});
