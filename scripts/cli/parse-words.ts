import { parseArgs } from 'node:util';
import { UsageProblem } from '../settings.ts';
import type { Command, Option } from './command.ts';
import { meant } from './nearest.ts';
import { typedPath } from './program.ts';

/** Option values by name. */
type Values<C extends Command> = ReturnType<
  typeof parseArgs<{ options: C['options']; allowPositionals: true }>
>['values'];

export interface Parsed<C extends Command> {
  values: Values<C>;
  /** The positional arguments. */
  words: string[];
}

/**
 * Parses the arguments of a command by its declaration. Resolves paths against the folder in which they were typed.
 * Throws a `UsageProblem` for an unknown option, a missing value or an extra argument.
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

/** Returns the environment with the options' values. */
export function withVariables(command: Command, values: object, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Object.entries(values).flatMap(([name, value]) => {
    const { variable } = command.options[name]!;
    return variable ? [[variable, value === true ? '1' : String(value)]] : [];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/**
 * Reads the command line of this process, and also sets the options' environment variables. With --help, prints the
 * help and exits.
 */
export async function readCommandLine<C extends Command>(name: string, command: C): Promise<Parsed<C>> {
  const parsed = parseWords(command, process.argv.slice(2));
  if ((parsed.values as { help?: boolean }).help) {
    // The help loads all commands; other runs don't need them.
    const { commandHelp } = await import('./help.ts');
    console.log(commandHelp(name, command));
    process.exit(0);
  }
  Object.assign(process.env, withVariables(command, parsed.values, {}));
  return parsed;
}

/** Skips lists of values: each script checks them, because it knows the separator. */
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

/** Replaces Node's error message, whose advice doesn't apply here. */
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
