import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../at-exit.ts';
import { type BoundDatabase, configOf } from '../bound-databases.ts';
import { typed } from '../cli/program.ts';
import { prepareDirectory, writePrivateJson } from '../files.ts';
import { prepareCheckout, runWrangler } from '../run-wrangler.ts';
import { Problem, ROOT, readSettings } from '../settings.ts';
import { type CloudflareApi, signIn } from './cloudflare-api.ts';
import { type NamedResources, resolveDatabases } from './resources.ts';
import { renameEarlierSecrets } from './secrets.ts';

/** A Worker in `wrangler.toml`, and the account it is deployed to. */
export interface Deployment {
  /** Name of the Worker. */
  worker: string;
  resources: NamedResources;
  api: CloudflareApi;
  /** Folder on this machine with what is known about it. */
  folder: string;
  /** Its flattened configuration from `wrangler.toml`. */
  config: ReturnType<typeof configOf>;
}

/** Opens an environment's deployment. Throws a `Problem` if the environment is unknown or nobody is signed in. */
export async function openDeployment(environment: string): Promise<Deployment> {
  const config = configOf(environment);
  if (!config.name) throw new Problem('wrangler.toml has no name for the Worker.');
  const api = await signIn(config.account_id);
  const folder = join(readSettings(process.env).localDir, 'deployment');
  return { worker: config.name, resources: config as NamedResources, api, folder, config };
}

/**
 * Writes a deployment's configuration with its database identifiers, so that `wrangler.toml` needs no edit. Returns the
 * file, for wrangler's `--config`.
 */
export function writeConfig({ worker, config, api, folder }: Deployment, ids: ReadonlyMap<string, string>): string {
  prepareCheckout();
  prepareDirectory(folder);
  const file = join(folder, `${worker}.json`);
  renameEarlierSecrets({ folder, worker, accountId: api.accountId }, file);
  const { main = '', build, assets, d1_databases: databases = [] } = config;
  writePrivateJson(file, {
    ...config,
    account_id: api.accountId,
    main: join(ROOT, main),
    build: { ...build, cwd: ROOT, watch_dir: join(ROOT, 'src') },
    assets: assets && { ...assets, directory: join(ROOT, assets.directory ?? '') },
    d1_databases: databases.map((one: BoundDatabase) => ({
      ...one,
      database_id: ids.get(one.binding),
      migrations_dir: join(ROOT, one.migrations_dir ?? 'migrations'),
    })),
  });
  return file;
}

/** Returns the identifiers of the deployed databases by binding. Throws a `Problem` if one is missing. */
export async function existingDatabases({ api, resources }: Deployment): Promise<Map<string, string>> {
  const ids = await resolveDatabases(api, resources);
  const missing = (resources.d1_databases ?? []).find(({ binding }) => !ids.has(binding));
  if (missing) throw new Problem(`There is no database ${missing.database_name} yet: run ${typed('deploy')} first.`);
  return ids;
}

/** Returns the workers.dev address of a Worker; undefined if the account has no such subdomain. */
export async function workersDevAddress({
  api,
  worker,
}: Pick<Deployment, 'api' | 'worker'>): Promise<string | undefined> {
  const found = await api.find<{ subdomain?: string }>('/workers/subdomain');
  return found?.subdomain && `https://${worker}.${found.subdomain}.workers.dev`;
}

const CUSTOM_DOMAIN = /^([a-z0-9.-]+) \(custom domain\)/i;

/** Returns the address among the targets that wrangler reports; undefined if there are only routes. */
export function addressIn(targets: string[] = []): string | undefined {
  const url = targets.find((target) => target.startsWith('https://'));
  if (url) return new URL(url).origin;
  const domain = targets.flatMap((target) => CUSTOM_DOMAIN.exec(target)?.[1] ?? [])[0];
  return domain && `https://${domain}`;
}

/** Wrangler's report of a deployment (`WRANGLER_OUTPUT_FILE_PATH`). */
interface Deployed {
  type: string;
  version_id: string | null;
  targets?: string[];
}

/** Runs wrangler with a report file, and returns the file's entries. */
export async function runReporting(parameters: string[], failure: string): Promise<Deployed[]> {
  const { path, remove } = temporaryFolder('deploy-');
  const report = join(path, 'report.ndjson');
  try {
    await runWrangler(parameters, failure, { WRANGLER_OUTPUT_FILE_PATH: report });
    const lines = readFileSync(report, 'utf8').split('\n');
    return lines.flatMap((line) => (line.trim() === '' ? [] : (JSON.parse(line) as Deployed)));
  } finally {
    remove();
  }
}
