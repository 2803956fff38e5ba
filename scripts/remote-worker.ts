import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configOf } from './bound-databases.ts';
import { checkEncryptionKeys } from './local-state.ts';
import { WRANGLER, wranglerEnvironment } from './run-wrangler.ts';
import { Problem, ROOT } from './settings.ts';

const UNSET_DATABASE_ID = /^0{8}-/;

/**
 * Checks what an administration of the deployment needs, and writes a configuration into `directory` with which the
 * Worker runs here on the deployed database and bucket: production itself never has an administration entry. Returns
 * the file and the variables to start it with.
 */
export function prepareRemote(directory: string, env: NodeJS.ProcessEnv) {
  const { ENCRYPTION_KEY, ENCRYPTION_KEYS } = env;
  if (!ENCRYPTION_KEY && !ENCRYPTION_KEYS) {
    throw new Problem(
      '--remote needs the secrets ENCRYPTION_KEYS and ENCRYPTION_KEY of the deployed Worker in the ' +
        'environment, if they are set there. Otherwise the Worker can’t read what the command stores.',
    );
  }
  checkEncryptionKeys({ ENCRYPTION_KEY, ENCRYPTION_KEYS });
  const keys = { ...(ENCRYPTION_KEY && { ENCRYPTION_KEY }), ...(ENCRYPTION_KEYS && { ENCRYPTION_KEYS }) };
  const rawConfig = configOf(env.CLOUDFLARE_ENV);
  const databases: { database_id?: string }[] = rawConfig.d1_databases ?? [];
  if (databases.length === 0 || databases.some(({ database_id: id }) => !id || UNSET_DATABASE_ID.test(id))) {
    throw new Problem(
      '--remote needs the deployed database’s database_id in wrangler.toml; "wrangler d1 list" shows it.',
    );
  }
  if (!env.CLOUDFLARE_API_TOKEN) requireLogin();
  const config = {
    ...rawConfig,
    main: join(ROOT, rawConfig.main ?? ''),
    build: { command: rawConfig.build?.command, cwd: ROOT, watch_dir: join(ROOT, 'src', 'pages') },
    assets: { ...rawConfig.assets, directory: join(ROOT, rawConfig.assets?.directory ?? '') },
    triggers: undefined,
    // What an operator asks for is no load of the service.
    analytics_engine_datasets: undefined,
    d1_databases: databases.map((database) => ({
      ...database,
      remote: true,
      migrations_dir: join(ROOT, 'migrations'),
    })),
    r2_buckets: (rawConfig.r2_buckets ?? []).map((bucket: object) => ({ ...bucket, remote: true })),
    // Objects cannot be bound from here; an entry of the deployment passes on what a backup asks of them.
    services: [{ binding: 'PROCESS_STATES', service: rawConfig.name, entrypoint: 'ProcessStates', remote: true }],
  };
  const file = join(directory, 'wrangler.json');
  writeFileSync(file, JSON.stringify(config));
  const baseUrl = env.BASE_URL || String(rawConfig.vars?.BASE_URL ?? '');
  return { config: file, variables: { ...keys, BASE_URL: baseUrl } };
}

function requireLogin(): void {
  const { stdout = '', stderr = '' } = spawnSync(process.execPath, [WRANGLER, 'whoami'], {
    cwd: ROOT,
    env: wranglerEnvironment(),
    encoding: 'utf8',
  });
  if (/not authenticated/i.test(stdout + stderr)) {
    throw new Problem(
      '--remote needs access to your Cloudflare account: run "npx wrangler login", or set CLOUDFLARE_API_TOKEN.',
    );
  }
}
