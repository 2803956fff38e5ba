/*
 * Runs a script of the project on the project's own Node, after installing missing packages:
 *
 *   node scripts/run.mjs scripts/start.ts [arguments]
 *
 * Every npm script starts here, because the machine's own Node, from version 20, must be able to run this file. npm
 * calls it with `exec`, because a shell in between would hide from a script that npm is gone.
 */
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, oldNodeProblem, projectNode, ROOT } from './bootstrap.mjs';

const PARENT_CHECK_MS = 250;

const problem = oldNodeProblem(process.versions.node) || install(ROOT);
if (problem) {
  console.error(problem);
  process.exit(1);
}

const node = projectNode(ROOT);
// The project's own Node and commands come first, as in npm scripts.
process.env.PATH = [dirname(node), join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
// Caches compiled code, for this process and its children: halves the time that scripts need to load their modules.
process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(ROOT, '.wrangler', 'compile-cache');
process.chdir(ROOT);
if (realpathSync(process.execPath) === realpathSync(node)) {
  process.argv.splice(1, 1);
  await import(pathToFileURL(resolve(process.argv[1])).href);
} else {
  const child = spawn(node, process.argv.slice(2), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), PARENT_CHECK_MS).unref();
  child.on('error', (error) => {
    console.error(`The project’s own Node does not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}
