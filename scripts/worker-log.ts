import { openSync, rmSync, writeSync } from 'node:fs';

/** What workerd says of a host that it does not find; who asked for it tells what became of that. */
const UNKNOWN_HOST = /failed to lookup address information/;
/** Paths of pages and links are secrets. */
const PRIVATE_MODE = 0o600;

/** Keeps the Worker's output: all of it in a file, errors and (when `verbose`) all the rest also for `show`. */
export function openWorkerLog(path: string, verbose: boolean, show: (line: string) => void) {
  // The mode counts only for a file that is new.
  rmSync(path, { force: true });
  const file = openSync(path, 'w', PRIVATE_MODE);
  return (line: string, isError: boolean) => {
    writeSync(file, `${line}\n`);
    if (verbose || (isError && !UNKNOWN_HOST.test(line))) show(line);
  };
}
