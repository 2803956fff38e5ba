import type { SourceFile, TextFile } from './source-file.ts';

/** The input of the rules. */
export interface House {
  /** Names in the root directory. */
  entries: string[];
  /** All committed text files. */
  files: TextFile[];
  /** The TypeScript files among them. */
  sources: SourceFile[];
}

/** Returns a rule's violations, one sentence each, starting with the path; empty if there are none. */
export type Rule = (house: House) => string[];

const FILE_LINES_MAX = 300;
/** Nobody reads it from top to bottom. */
const GENERATED = 'client/src/generated/';

const ROOT_ENTRIES = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bench',
  'client',
  'docs',
  'drizzle.config.ts',
  'examples',
  'migrations',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.json',
  'wrangler.toml',
];

const inside = (...folders: string[]) => {
  return ({ path }: { path: string }) => folders.some((folder) => path.startsWith(`${folder}/`));
};

const inSrc = ({ sources }: House) => sources.filter(inside('src'));

const isRoute = (path: string) => /\/route\.tsx?$/.test(path);
const isTable = (path: string) => /[/-]table\.ts$/.test(path);
const isMail = (path: string) => path === 'src/platform/mail.ts';
const isObject = (path: string) => path.endsWith('-object.ts');

export const rootHoldsOnlyTheMap: Rule = ({ entries }) => {
  const visible = entries.filter((name) => !name.startsWith('.'));
  const strangers = visible.filter((name) => !ROOT_ENTRIES.includes(name)).map((name) => `${name}: is not on the map`);
  const missing = ROOT_ENTRIES.filter((name) => !visible.includes(name)).map((name) => `${name}: is missing`);
  return [...strangers, ...missing];
};

/** Biome checks the names of files. */
export const foldersAreKebabCase: Rule = ({ files }) =>
  files
    .filter(inside('src', 'test', 'scripts', 'bench', 'client', 'examples'))
    .filter(({ path }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)+[^/]+$/.test(path))
    .map(({ path }) => `${path}: is in a folder that is not kebab-case`);

export const filesFit: Rule = ({ sources }) =>
  sources
    .filter(inside('src', 'scripts', 'client'))
    .filter(({ path }) => !path.startsWith(GENERATED))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path}: has ${lines} lines, more than ${FILE_LINES_MAX}`);

/** Returns a rule that forbids a pattern in some files. */
const without =
  (pattern: RegExp, what: string, ...folders: string[]): Rule =>
  ({ files }) =>
    files.filter(folders.length > 0 ? inside(...folders) : () => true).flatMap(({ path, text }) => {
      const found = pattern.exec(text);
      return found ? [`${path}:${text.slice(0, found.index).split('\n').length}: ${what}`] : [];
    });

/** The patterns are assembled from parts, so that they don't match this file. */
const eitherOf = (before: string, words: string[], after: string) =>
  new RegExp(`${before}(${words.join('|')})${after}`);

export const noMachinePaths: Rule = without(
  eitherOf('(?<![\\w.$}<>-])/', ['work', 'tmp', 'home', 'root', 'Users'], '/'),
  'a path of one machine',
);
export const nothingLeftOpen: Rule = without(
  eitherOf('\\b', ['TO' + 'DO', 'FIX' + 'ME'], '\\b'),
  'a note of work left open',
);
export const noAnyCasts: Rule = without(
  eitherOf('\\b', ['as' + ' any'], '\\b'),
  'a cast to any',
  'src',
  'scripts',
  'test',
  'client',
);

/** Vitest has two names for `test`; one is enough. */
export const testsHaveOneName: Rule = ({ sources }) =>
  sources
    .filter(({ imports }) => imports.some(({ target, names }) => target === 'vitest' && names.includes('it')))
    .map(({ path }) => `${path}: calls a test "it" and not "test"`);

/** JSX compiles to an import of Hono's JSX, so a `.tsx` file counts as importing it. */
export const onlySurfacesKnowHono: Rule = (house) =>
  inSrc(house)
    .filter(inside('src/domain', 'src/platform', 'src/wallets'))
    .filter(({ path }) => !(path.startsWith('src/wallets/') && isRoute(path)))
    .filter(
      ({ path, imports }) => path.endsWith('.tsx') || imports.some(({ target }) => /^(@?hono)(\/|$)/.test(target)),
    )
    .map(({ path }) => `${path}: knows Hono`);

/** The runtime has the class for a mail to the `send_email` binding. */
export const onlyObjectsImportTheRuntime: Rule = (house) =>
  inSrc(house)
    .filter(({ path }) => !isObject(path))
    .filter(({ path, imports }) =>
      imports.some(
        ({ target }) => target.startsWith('cloudflare:') && !(target === 'cloudflare:email' && isMail(path)),
      ),
    )
    .map(({ path }) => `${path}: imports the runtime, which only *-object.ts files may`);

/** The zones of `src`, and which other zones each may import. */
const MAY_IMPORT: Record<string, string[]> = {
  app: ['api', 'mcp', 'admin', 'pages', 'wallet routes', 'dev doors', 'platform'],
  api: ['wallets', 'domain', 'platform'],
  mcp: ['api', 'domain', 'platform'],
  admin: ['wallets', 'domain', 'platform'],
  pages: ['wallets', 'domain', 'dev doors', 'platform'],
  jobs: ['wallets', 'domain', 'dev doors', 'platform'],
  'wallet routes': ['wallets', 'domain', 'platform'],
  wallets: ['domain', 'dev doors', 'platform'],
  domain: ['dev doors', 'platform'],
  'dev doors': ['dev', 'pages', 'wallets', 'domain', 'platform'],
  dev: ['dev doors', 'pages', 'wallets', 'domain', 'platform'],
  platform: [],
};

function zoneOf(path: string): string | undefined {
  const [root, second] = path.split('/');
  if (root !== 'src') return undefined;
  if (second === 'wallets' && isRoute(path)) return 'wallet routes';
  // The rest of the service only imports development code through the files directly in src/dev.
  if (second === 'dev' && path.split('/').length === 3) return 'dev doors';
  return second?.replace(/\.ts$/, '');
}

/** The manifest from wrangler's build of the client code, and the one file that reads it. */
const CLIENT_MANIFEST = '.wrangler/client/manifest.json';
const READS_CLIENT_MANIFEST = 'src/platform/client-files.ts';

function mayImport(from: string, target: string, isType: boolean): boolean {
  if (target === CLIENT_MANIFEST) return from === READS_CLIENT_MANIFEST;
  const [own, other] = [zoneOf(from), zoneOf(target)];
  if (!own || !other) return false;
  if (own === 'index') return other === 'app' || other === 'jobs' || isObject(target) || isType;
  if (own !== other) return MAY_IMPORT[own]?.includes(other) ?? false;
  const [version, otherVersion] = [from, target].map((path) => /^src\/api\/(v\d+)\//.exec(path)?.[1]);
  return !version || !otherVersion || version === otherVersion;
}

export const importsPointInwards: Rule = (house) =>
  inSrc(house).flatMap(({ path, imports }) =>
    imports
      .filter(({ target, isFile, isType }) => isFile && !mayImport(path, target, isType))
      .map(({ target }) => `${path}: may not import ${target}`),
  );

const featureOf = (path: string) => /^src\/domain\/([^/]+)\//.exec(path)?.[1];

/** Imports of a `table.ts` don't count: any feature may join any table for reading. */
export const featuresHaveNoCycles: Rule = (house) => {
  const edges: Edge[] = [];
  const causes: string[] = [];
  for (const { path, imports } of inSrc(house)) {
    for (const { target } of imports) {
      const [feature, other] = [featureOf(path), featureOf(target)];
      if (!feature || !other || feature === other || isTable(target)) continue;
      edges.push([feature, other]);
      causes.push(`${feature} -> ${other}: ${path} imports ${target}`);
    }
  }
  return cyclesOf(edges).map((cycle) => {
    const steps = cycle.split(' -> ').slice(1);
    const inCycle = causes.filter((cause) =>
      steps.some((step, i) => cause.startsWith(`${steps.at(i - 1)} -> ${step}:`)),
    );
    return [cycle, ...inCycle].join('\n');
  });
};

type Edge = [from: string, to: string];

/** Returns the cycles found by a depth-first walk, each as `a -> b -> a`. */
function cyclesOf(edges: Edge[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (node: string, trail: string[]) => {
    const before = trail.indexOf(node);
    if (before >= 0) {
      found.push([...trail.slice(before), node].join(' -> '));
      return;
    }
    if (done.has(node)) return;
    for (const other of next.get(node) ?? []) walk(other, [...trail, node]);
    done.add(node);
  };
  for (const node of next.keys()) walk(node, []);
  return found;
}
