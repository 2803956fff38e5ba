import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BoundDatabase } from './bound-databases.ts';
import { existingDatabases, openDeployment } from './deploy/deployment.ts';
import { LOCAL_BUILD, LOCAL_MAIN } from './local-build.ts';
import { checkEncryptionKeys } from './local-state.ts';
import { Problem, ROOT } from './settings.ts';

/**
 * Checks the requirements for administering the deployment, and writes a configuration into `directory` to run the
 * Worker here on the deployed database and bucket: production never has an administration entry. Returns the file, and
 * the variables to start it with.
 */
export async function prepareRemote(directory: string, env: NodeJS.ProcessEnv) {
  const { ENCRYPTION_KEY, ENCRYPTION_KEYS } = env;
  if (!ENCRYPTION_KEY && !ENCRYPTION_KEYS) {
    throw new Problem(
      '--remote needs the secrets ENCRYPTION_KEYS and ENCRYPTION_KEY of the deployed Worker in the ' +
        'environment, if they are set there. Otherwise the Worker can’t read what the command stores.',
    );
  }
  checkEncryptionKeys({ ENCRYPTION_KEY, ENCRYPTION_KEYS });
  const keys = { ...(ENCRYPTION_KEY && { ENCRYPTION_KEY }), ...(ENCRYPTION_KEYS && { ENCRYPTION_KEYS }) };
  const deployment = await openDeployment(env.CLOUDFLARE_ENV ?? '');
  const ids = await existingDatabases(deployment);
  const { config: rawConfig, api } = deployment;
  const config = {
    ...rawConfig,
    account_id: api.accountId,
    main: join(ROOT, LOCAL_MAIN),
    build: { command: LOCAL_BUILD, cwd: ROOT, watch_dir: join(ROOT, 'src', 'pages') },
    assets: { ...rawConfig.assets, directory: join(ROOT, rawConfig.assets?.directory ?? '') },
    triggers: undefined,
    // An operator's commands don't count as traffic.
    analytics_engine_datasets: undefined,
    d1_databases: (rawConfig.d1_databases ?? []).map((database: BoundDatabase) => ({
      ...database,
      database_id: ids.get(database.binding),
      remote: true,
      migrations_dir: join(ROOT, 'migrations'),
    })),
    r2_buckets: (rawConfig.r2_buckets ?? []).map((bucket: object) => ({ ...bucket, remote: true })),
    // Durable Objects can't be bound remotely, so an entrypoint of the deployment forwards a backup's calls to them.
    services: [{ binding: 'PROCESS_STATES', service: rawConfig.name, entrypoint: 'ProcessStates', remote: true }],
  };
  const file = join(directory, 'wrangler.json');
  writeFileSync(file, JSON.stringify(config));
  const baseUrl = env.BASE_URL || String(rawConfig.vars?.BASE_URL ?? '');
  return { config: file, variables: { ...keys, BASE_URL: baseUrl } };
}
