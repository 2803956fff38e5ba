import { appendFileSync, writeFileSync } from 'node:fs';

/*
 * Node loads this module first in each process of a script under test. It records the command lines of wrangler, and
 * takes the place of wrangler for the commands in `WRANGLER_STAND_IN`: these succeed and do nothing.
 */

const [, script = '', ...words] = process.argv;
const { WRANGLER_CALLS, WRANGLER_STAND_IN = '', WRANGLER_OUTPUT_FILE_PATH } = process.env;

if (WRANGLER_CALLS && script.endsWith('wrangler/bin/wrangler.js')) {
  appendFileSync(WRANGLER_CALLS, `${JSON.stringify(words)}\n`);
  if (WRANGLER_STAND_IN.split(' ').includes(words[0]!)) {
    if (WRANGLER_OUTPUT_FILE_PATH) writeFileSync(WRANGLER_OUTPUT_FILE_PATH, '{"type":"deploy","version_id":null}\n');
    process.exit(0);
  }
}
