import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/* The service's dependencies are pinned and monitored. */

interface Component {
  name: string;
  version: string;
  hashes?: { content: string }[];
}

const ROOT = join(import.meta.dirname, '..');
const WORKFLOWS = '.github/workflows';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const workflows = readdirSync(join(ROOT, WORKFLOWS)).map((name) => ({ name, text: read(`${WORKFLOWS}/${name}`) }));
const lock: { packages: Record<string, { version?: string; integrity?: string; resolved?: string }> } = JSON.parse(
  read('package-lock.json'),
);

describe('dependencies', () => {
  test('have exactly one version each', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });

  // The lock file has no addresses: npm uses its configured registry.
  test('come from a registry, and are checked by their digests', () => {
    const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
    expect(entries.length).toBeGreaterThan(100);
    const strange = entries.filter(
      ([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
    );
    expect(strange).toEqual([]);
  });

  test('may run install scripts only if they are listed', () => {
    expect(Object.keys(JSON.parse(read('package.json')).allowScripts)).toEqual(['esbuild', 'node', 'workerd']);
  });
});

describe('the bill of materials', () => {
  const step = /run: npm (sbom [^>]*?) > sbom\.cdx\.json\n/.exec(workflows.map(({ text }) => text).join('\n'));

  test('is created and stored by each run of the workflow', () => {
    expect(step).not.toBeNull();
    expect(read(`${WORKFLOWS}/ci.yml`)).toMatch(/upload-artifact@.*\n +with:\n +name: sbom\n +path: sbom\.cdx\.json\n/);
  });

  test('lists every package of the lock file with its version and digest', () => {
    const text = execFileSync('npm', step![1]!.split(' '), { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 });
    const bill: { bomFormat: string; components: Component[] } = JSON.parse(text);
    expect(bill.bomFormat).toBe('CycloneDX');
    const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(named, name).toContain(`${name}@${version}`);
    }
    expect(bill.components.filter(({ hashes }) => !hashes?.[0]?.content).map(({ name }) => name)).toEqual([]);
  });
});

describe('the workflows', () => {
  test.each(workflows)('$name pins actions by commit digest', ({ text }) => {
    const used = [...text.matchAll(/uses: *(\S+)(.*)/g)].map(([, action = '', note = '']) => [action, note] as const);
    expect(used.length).toBeGreaterThan(0);
    for (const [action, note] of used) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(note, action).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
  });

  test.each(workflows)('$name has read-only permissions, and leaves no credentials on disk', ({ text }) => {
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text).not.toMatch(/: write\b|pull_request_target|secrets\./);
    const checkouts = text.match(/actions\/checkout@/g) ?? [];
    expect(text.match(/persist-credentials: false/g) ?? []).toHaveLength(checkouts.length);
  });

  test('install from the lock file, and so does everything else', () => {
    const scripts = readdirSync(join(ROOT, 'scripts')).filter((name) => /\.m?[jt]s$/.test(name));
    const texts = [
      ...scripts.map((name) => read(`scripts/${name}`)),
      ...readdirSync(join(ROOT, '.ci')).map((name) => read(`.ci/${name}`)),
      ...workflows.map(({ text }) => text),
    ];
    for (const text of texts) expect(text).not.toMatch(/npm\(root, \['install'\]|^\s*(- run: )?npm (i|install)\b/m);
    expect(read('.ci/run')).toMatch(/^\.ci\/prepare$/m);
    expect(read('.ci/prepare')).toMatch(/^npm ci /m);
  });

  test('run the whole gate, and the commands of the README on the oldest Node that package.json allows', () => {
    const { engines } = JSON.parse(read('package.json'));
    const [, oldest] = /^>=(\d+)$/.exec(engines.node)!;
    const [, job] = /^ {2}oldest-node:\n((?: {4}.*\n|\n)+)/m.exec(read(`${WORKFLOWS}/ci.yml`))!;
    expect(job).toMatch(new RegExp(`^ {4}container: node:${oldest}-`, 'm'));
    const commands = [...read('README.md').matchAll(/^npm (start|test) {2,}#/gm)].map(([, name]) => name!);
    expect(commands).toEqual(['start', 'test']);
    for (const name of commands) expect(job).toMatch(new RegExp(`^ +(- run: )?npm ${name}( |$)`, 'm'));
    expect(read(`${WORKFLOWS}/ci.yml`)).toMatch(/^ {6}- run: \.ci\/run$/m);
    expect(read('.ci/run')).toMatch(/^npm test$/m);
  });

  test('are monitored like the packages', () => {
    const watched = read('.github/dependabot.yml');
    expect([...watched.matchAll(/package-ecosystem: (\S+)/g)].map(([, name]) => name)).toEqual([
      'npm',
      'github-actions',
    ]);
  });
});

test('SECURITY.md says where to report, and what is supported', () => {
  expect(existsSync(join(ROOT, 'SECURITY.md'))).toBe(true);
  const text = read('SECURITY.md');
  for (const title of ['Report a vulnerability', 'Supported versions', 'What counts']) {
    expect(text).toContain(`\n## ${title}\n`);
  }
});
