/*
 * Runs on any Node version, before the project's own is installed, so it uses plain syntax and only Node's own modules.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const NODE_MAJOR_MIN = 20;

/** Returns a sentence if this Node version (`20.1.0`) is too old, otherwise undefined. */
export function oldNodeProblem(version) {
  if (Number(version.split('.')[0]) >= NODE_MAJOR_MIN) return undefined;
  return `Node ${version} is too old: install Node ${NODE_MAJOR_MIN} or newer from https://nodejs.org and try again.`;
}

/**
 * Whether `node_modules` has every non-optional package of the lock file in its version. npm records what it installed
 * in `node_modules/.package-lock.json`, as its last step.
 */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  return Object.keys(wanted).every((path) => {
    const entry = wanted[path];
    if (path === '' || entry.optional || entry.devOptional || entry.peer) return true;
    return installed[path] !== undefined && installed[path].version === entry.version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Path of the project's own Node, which the npm package `node` downloads when it is installed. */
export function projectNode(root) {
  return join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** Installs missing packages. Returns a sentence if that failed, otherwise undefined. */
export function install(root) {
  if (!isInstalled(root)) {
    console.error('Installing dependencies (about 15 seconds, only when they have changed) ...');
    // Never runs `npm install` instead, which would take versions that nobody has reviewed.
    if (!npm(root, ['ci'])) {
      return (
        'The dependencies could not be installed from package-lock.json; see the output of npm above. If you ' +
        'have changed package.json, run "npm install" yourself, review the changes, and try again.'
      );
    }
  }
  if (!existsSync(projectNode(root)) && !(npm(root, ['rebuild', 'node']) && existsSync(projectNode(root)))) {
    return (
      'npm did not run the install script of the package "node", which brings the Node that this project runs ' +
      'on: allow install scripts (npm config set ignore-scripts false) and try again.'
    );
  }
  return undefined;
}

/**
 * Runs npm with its output on standard error, because standard output belongs to the script. Returns whether it
 * succeeded.
 */
function npm(root, parameters) {
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: process.env };
  const quiet = parameters.concat(['--no-audit', '--no-fund', '--loglevel=error']);
  const self = process.env.npm_execpath || '';
  const result = /npm-cli\.js$/.test(self)
    ? spawnSync(process.execPath, [self].concat(quiet), options)
    : spawnSync('npm', quiet, Object.assign({ shell: process.platform === 'win32' }, options));
  return result.status === 0;
}
