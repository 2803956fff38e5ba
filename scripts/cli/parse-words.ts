import { parseArgs } from 'node:util';
import { UsageProblem } from '../settings.ts';
import type { Command, Option } from './command.ts';
import { meant } from './nearest.ts';
import { typedPath } from './program.ts';

/** The values of options by their names. */
type Values<C extends Command> = ReturnType<
  typeof parseArgs<{ options: C['options']; allowPositionals: true }>
>['values'];

export interface Parsed<C extends Command> {
  values: Values<C>;
  /** What stands there without a name. */
  words: string[];
}

/**
 * Reads the words behind a command by its declaration; paths become those of the folder in which they were typed.
 * Throws a `UsageProblem` for an option that is unknown, or has no value, and for a word too many.
 */
export function parseWords<C extends Command>(command: C, words: string[]): Parsed<C> {
  try {
    const { values, positionals } = parseArgs({ args: words, options: command.options, allowPositionals: true });
    if (!command.argument && positionals.length > 0)
      throw new UsageProblem(`Unexpected word "${positionals[0]}": it takes options only.`);
    checkChoices(command, values);
    return { values: withPaths(command, values) as Values<C>, words: positionals };
  } catch (error) {
    throw error instanceof UsageProblem ? error : explain(error as NodeJS.ErrnoException, Object.keys(command.options));
  }
}

/** The environment with what the options say in its place. */
export function withVariables(command: Command, values: object, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.entries(values).flatMap(([name, value]) => {
    const { variable } = command.options[name]!;
    return variable ? [[variable, value === true ? '1' : String(value)]] : [];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/**
 * Reads the command line of this process; its options also become variables of the environment. Where somebody asks for
 * the help, it shows that and ends the process.
 */
export async function readCommandLine<C extends Command>(name: string, command: C): Promise<Parsed<C>> {
  const parsed = parseWords(command, process.argv.slice(2));
  if ((parsed.values as { help?: boolean }).help) {
    // It knows all commands, which others need not load.
    const { commandHelp } = await import('./help.ts');
    console.log(commandHelp(name, command));
    process.exit(0);
  }
  Object.assign(process.env, withVariables(command, parsed.values, {}));
  return parsed;
}

/** Lists of values are for the scripts to check, which know how they are separated. */
function checkChoices(command: Command, values: object): void {
  for (const [name, value] of Object.entries(values)) {
    const { choices, multiple } = command.options[name]!;
    if (!choices || multiple || choices.includes(value as string)) continue;
    throw new UsageProblem(
      `--${name} must be one of ${choices.join(', ')}, not "${value}".${meant(String(value), choices)}`,
    );
  }
}

function withPaths(command: Command, values: object): object {
  const resolved = (option: Option | undefined, value: unknown): unknown => {
    if (!option?.path) return value;
    return Array.isArray(value) ? value.map((path) => typedPath(path)) : typedPath(value as string);
  };
  const entries = Object.entries(values).map(([name, value]) => [name, resolved(command.options[name], value)]);
  return Object.fromEntries(entries);
}

/** Node adds advice that is of no use here. */
function explain({ code, message }: NodeJS.ErrnoException, known: string[]): Error {
  const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? '';
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return new UsageProblem(
      `Unknown option '${option}'.${meant(
        option,
        known.map((name) => `--${name}`),
      )}`,
    );
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    return new UsageProblem(`${option} ${message.includes('does not take') ? 'takes no value' : 'needs a value'}.`);
  }
  return new UsageProblem(message);
}
