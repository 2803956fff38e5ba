import { ApiProblem } from './cloudflare-api.ts';
import { type Deployment, workersDevAddress } from './deployment.ts';

type Deployed = Pick<Deployment, 'api' | 'worker' | 'config'>;

/**
 * Returns the address of a deployed service: the one that its links begin with, its custom domain, or that at
 * workers.dev. `directory` is the identifier of the first database. Undefined if it has none of them.
 */
export async function findAddress(deployment: Deployed, directory: string): Promise<string | undefined> {
  const configured = (await baseUrlOf(deployment)) ?? (await storedAddress(deployment, directory));
  return configured ?? customDomain(deployment) ?? (await workersDev(deployment));
}

interface Settings {
  bindings?: { name: string; type: string; text?: string }[];
}

/** Returns the variable BASE_URL, which the dashboard or `wrangler.toml` sets. */
async function baseUrlOf({ api, worker }: Deployed): Promise<string | undefined> {
  const settings = await api.find<Settings>(`/workers/scripts/${worker}/settings`);
  return originOf(settings?.bindings?.find(({ name }) => name === 'BASE_URL')?.text);
}

/** Returns the address that the setup or an operator stored. */
async function storedAddress({ api }: Deployed, directory: string): Promise<string | undefined> {
  const sql = 'select base_url from service_settings';
  type Answer = { results: { base_url: string | null }[] }[];
  try {
    const [answer] = await api.call<Answer>('POST', `/d1/database/${directory}/query`, { sql });
    return originOf(answer?.results[0]?.base_url);
  } catch (error) {
    // A database that was never migrated to this release has no such table.
    if (error instanceof ApiProblem) return undefined;
    throw error;
  }
}

function originOf(text: string | null | undefined): string | undefined {
  return text && URL.canParse(text) ? new URL(text).origin : undefined;
}

type Route = string | { pattern: string; custom_domain?: boolean };

const routesOf = ({ config }: Deployed): Route[] => [...(config.route ? [config.route] : []), ...(config.routes ?? [])];

function customDomain(deployment: Deployed): string | undefined {
  const [domain] = routesOf(deployment).flatMap((route) =>
    typeof route === 'object' && route.custom_domain ? route.pattern : [],
  );
  return domain && `https://${domain}`;
}

/** Wrangler switches workers.dev off for a Worker with routes, unless its configuration says otherwise. */
async function workersDev(deployment: Deployed): Promise<string | undefined> {
  const isOn = deployment.config.workers_dev ?? routesOf(deployment).length === 0;
  return isOn ? workersDevAddress(deployment) : undefined;
}
