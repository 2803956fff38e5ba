import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { boundDatabases, configOf, parseConfig } from '../scripts/bound-databases.ts';
import { buildMissingClients } from '../scripts/build-clients.ts';
import { writeConfig } from '../scripts/deploy/deployment.ts';
import { missingSecrets } from '../scripts/deploy/secrets.ts';
import { WRANGLER, wranglerEnvironment } from '../scripts/run-wrangler.ts';
import { Problem, ROOT } from '../scripts/settings.ts';

/* The inputs of a deployment: the button, package.json, .dev.vars.example and wrangler.toml. */

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const PACKAGE = JSON.parse(read('package.json'));
const DESCRIBED: Record<string, { description: string }> = PACKAGE.cloudflare.bindings;

/** Members of `Env` that no deployment has: for local services, tests and operators' Workers. */
const NOT_DEPLOYED = ['ADMIN_TOKEN', 'ALLOW_LOCAL_TARGETS', 'LIMITS_BY_ADDRESS', 'PROCESS_STATES'];

/** Returns the names of all bindings and variables in the configuration. */
function configuredNames(): string[] {
  const config = configOf(undefined);
  const lists = [config.d1_databases, config.r2_buckets, config.analytics_engine_datasets, config.queues.producers];
  const named = [...config.durable_objects.bindings, ...config.ratelimits, ...config.send_email];
  return [
    ...lists.flatMap((list: { binding: string }[] = []) => list.map(({ binding }) => binding)),
    ...named.map(({ name }) => name),
    ...[config.images.binding, config.assets.binding],
    ...Object.keys(config.vars),
  ];
}

/** Returns the names of the members of `Env`. */
const envNames = () =>
  [...read('src/platform/env.ts').matchAll(/^ {2}([A-Z][A-Z_0-9]+)\??:/gm)].map(([, name]) => name!);

test('package.json describes each binding, secret and variable, and no others', () => {
  const configured = configuredNames();
  expect(configured.length).toBeGreaterThan(20);
  const wanted = new Set([...configured, ...envNames().filter((name) => !NOT_DEPLOYED.includes(name))]);
  expect(Object.keys(DESCRIBED).sort()).toEqual([...wanted].sort());
  for (const [name, { description }] of Object.entries(DESCRIBED)) expect(description, name).toMatch(/^[A-Z].+\.$/s);
});

test('the example of secrets has those that a deployment cannot do without, and no values', () => {
  const asked = [...read('.dev.vars.example').matchAll(/^([A-Z_]+)=(.*)$/gm)];
  expect(asked.map(([, name]) => name)).toEqual(missingSecrets(new Set()));
  expect(asked.map(([, , value]) => value)).toEqual(asked.map(() => ''));
  for (const [, name] of asked) expect(DESCRIBED[name!]!.description).toMatch(/^Required\. /);
});

test('the README’s button links to the repository in package.json, whose settings it reads', () => {
  const button = /\[!\[Deploy to Cloudflare\]\([^)]+\)\]\(https:\/\/deploy\.workers\.cloudflare\.com\/\?url=([^)]+)\)/;
  expect(button.exec(read('README.md'))?.[1]).toBe(PACKAGE.repository.url);
  expect(PACKAGE.scripts.deploy).toContain('scripts/deploy.ts');
});

test('each file that other code imports from src/dev has a counterpart for deployments', () => {
  const filesIn = (path: string) => readdirSync(join(ROOT, path)).filter((name) => name.endsWith('.ts'));
  expect(filesIn('src/dev/deployed')).toEqual(filesIn('src/dev'));
});

beforeAll(() => buildMissingClients());

/** Returns the source files of the modules in wrangler's output. Their maps are where it found the modules. */
function sourcesOf(output: string): string[] {
  const maps = readdirSync(output).map((name) => join(ROOT, '.wrangler', 'worker', `${name}.map`));
  const sources = maps.filter(existsSync).flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).sources as string[]);
  return sources.map((path) => path.replace(/^.*?(?=(src|node_modules)\/)/, ''));
}

test.each(['production', 'staging'])(
  'wrangler accepts the configuration of %s for a deployment, which has no part of a local service',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'dry-run-'));
    const environment = name === 'production' ? '' : name;
    const config = configOf(environment);
    const ids = new Map(boundDatabases(environment).map(({ binding }) => [binding, crypto.randomUUID()]));
    const api = { accountId: 'a'.repeat(32) } as never;
    const file = writeConfig({ worker: config.name, config, api, folder, resources: {} }, ids);
    const words = [WRANGLER, 'deploy', '--dry-run', '--outdir', join(folder, 'out'), '--config', file, '--env', ''];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: wranglerEnvironment() });
    const sources = sourcesOf(join(folder, 'out'));
    expect(sources).toContain('src/index.ts');
    expect(sources.filter((path) => path.startsWith('src/dev/') && !path.startsWith('src/dev/deployed/'))).toEqual([]);
    rmSync(folder, { recursive: true });
    for (const bound of configuredNames()) expect(stdout).toMatch(new RegExp(`\\benv\\.${bound}\\b`));
    for (const { database_name: database } of boundDatabases(environment)) expect(stdout).toContain(`(${database})`);
  },
);

test('an invalid line of wrangler.toml is shown, without a stack', () => {
  const invalid = () => parseConfig('name = "passes"\nmain = [1\n[env.staging]\n');
  expect(invalid).toThrow(Problem);
  expect(invalid).toThrow(/^wrangler\.toml: .*main = \[1/s);
});
