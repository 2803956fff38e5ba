/*
 * Runs a script of the project on the project's own Node, after installing what is missing:
 *
 *   node scripts/run.mjs scripts/start.ts [arguments]
 *
 * Every npm script starts here, because this is what a machine's own Node, from version 20, has to understand.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { install, isAlive, oldNodeProblem, projectNode, ROOT, startersOf, toolEnvironment } from './bootstrap.mjs';

const PARENT_CHECK_MS = 250;

const problem = oldNodeProblem(process.versions.node) || install(ROOT);
if (problem) {
  console.error(problem);
  process.exit(1);
}

const child = spawn(projectNode(ROOT), process.argv.slice(2), {
  cwd: ROOT,
  env: toolEnvironment(ROOT),
  // The channel closes when this process is gone, which is how a service notices that.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => {
  process.on(signal, () => {
    child.kill(signal);
  });
});
// npm that was killed outright cannot pass the signal on.
if (process.env.npm_lifecycle_event) {
  const starters = startersOf(process.ppid);
  setInterval(() => {
    if (!starters.every(isAlive)) child.kill('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}
child.on('error', (error) => {
  console.error(`The project’s own Node does not start: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
