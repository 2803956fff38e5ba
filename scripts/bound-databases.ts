import { join } from 'node:path';
import { experimental_readRawConfig } from 'wrangler';
import { Problem, ROOT } from './settings.ts';

/** Returns the configuration of an environment from `wrangler.toml`, flattened; production if no name is given. */
export function configOf(environment: string | undefined) {
  const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, 'wrangler.toml') });
  const { env: environments = {}, ...production } = rawConfig;
  if (!environment) return production;
  const own = environments[environment];
  if (!own) throw new Problem(`wrangler.toml has no environment "${environment}", which CLOUDFLARE_ENV names.`);
  return { ...production, ...own };
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
