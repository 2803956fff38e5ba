import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type { experimental_readRawConfig } from 'wrangler';
import { Problem, ROOT } from './settings.ts';

type Config = ReturnType<typeof experimental_readRawConfig>['rawConfig'];

/**
 * Returns the configuration of an environment from `wrangler.toml`, flattened; production if no name is given. Reads
 * the file without wrangler, which takes a second to load.
 */
export function configOf(environment: string | undefined) {
  const { env: environments = {}, ...production } = parseConfig(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'));
  if (!environment) return production;
  const own = environments[environment];
  if (!own) throw new Problem(`wrangler.toml has no environment "${environment}", which CLOUDFLARE_ENV names.`);
  return { ...production, ...own };
}

/** Parses the text of `wrangler.toml`. Throws a `Problem` that shows the first invalid line. */
export function parseConfig(text: string): Config {
  try {
    return parse(text) as Config;
  } catch (error) {
    if (error instanceof TomlError) throw new Problem(`wrangler.toml: ${error.message}`);
    throw error;
  }
}

/** A database in `wrangler.toml`. */
export interface BoundDatabase {
  binding: string;
  database_name: string;
  database_id?: string;
  migrations_dir?: string;
}

/** Returns the databases an environment binds, in the order of `wrangler.toml`: the directory first. */
export function boundDatabases(environment?: string): BoundDatabase[] {
  return (configOf(environment).d1_databases ?? []) as BoundDatabase[];
}
