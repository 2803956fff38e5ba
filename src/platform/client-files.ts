import manifest from '../../.wrangler/client/manifest.json';

/** A file that browsers load, as `scripts/build-clients.ts` has made it. */
export interface ClientFile {
  /** Absolute path, which changes with the content; served as a static asset. */
  path: string;
  /** Paths of what it loads while it runs. */
  loads: string[];
}

/**
 * The file made from `src/pages/<page>/client/<file>`; `name` is `<page>/<file>`, as in `scanner/app.ts`. Those of
 * `src/dev/client` are `dev/<file>`. Throws when there is none.
 */
export function clientFile(name: string): ClientFile {
  const [path, ...loads] = (manifest as Record<string, string[] | undefined>)[name] ?? [];
  if (!path) throw new Error(`there is no client file "${name}"`);
  return { path, loads };
}
