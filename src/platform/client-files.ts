import manifest from '../../.wrangler/client/manifest.json';

/** A browser file that `scripts/build-clients.ts` built. */
export interface ClientFile {
  /** Absolute path of a static asset. It changes with the content. */
  path: string;
  /** Paths of files that it loads at run time. */
  loads: string[];
}

/**
 * Returns the file built from `src/pages/<page>/client/<file>`; `name` is `<page>/<file>`, such as `scanner/app.ts`.
 * Files of `src/dev/client` are `dev/<file>`. Throws if there is none.
 */
export function clientFile(name: string): ClientFile {
  const [path, ...loads] = (manifest as Record<string, string[] | undefined>)[name] ?? [];
  if (!path) throw new Error(`there is no client file "${name}"`);
  return { path, loads };
}
