#!/usr/bin/env node
/*
 * The command line: `npx pass-wallet <command>` in a clone, or `pass-wallet` anywhere after `npm link`. Runs on any
 * Node from version 20; `scripts/cli.ts` then uses the project's own.
 */
process.env.PASS_WALLET_FOLDER = process.cwd();
process.argv.splice(2, 0, 'scripts/cli.ts');
await import('./run.mjs');
