import { join } from 'node:path';

/*
 * The Worker on this machine: of a local service, or of an operator who runs commands. It has the parts in `src/dev/`,
 * which a deployment lacks, and a folder of its own, because a deployment may be built while it runs.
 */

export const LOCAL_OPTION = '--local';
export const LOCAL_FOLDER = join('.wrangler', 'local');
/** Its entry module, in the checkout. */
export const LOCAL_MAIN = join(LOCAL_FOLDER, 'index.js');
export const LOCAL_BUILD = `node scripts/run.mjs scripts/build.ts ${LOCAL_OPTION}`;
