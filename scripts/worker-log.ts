import { openSync, rmSync, writeSync } from 'node:fs';

/** workerd's message about an unknown host, and the line after it. The caller reports the failure itself. */
const UNKNOWN_HOST = /failed to lookup address information/;
const STACK = /^stack: /;
/** Paths of pages and links are secrets. */
const PRIVATE_MODE = 0o600;

/** Writes the Worker's whole output to a file, and passes errors (all lines if `verbose`) to `show`. */
export function openWorkerLog(path: string, verbose: boolean, show: (line: string) => void) {
  // The mode applies only to a new file.
  rmSync(path, { force: true });
  const file = openSync(path, 'w', PRIVATE_MODE);
  let isHidden = false;
  return (line: string, isError: boolean) => {
    writeSync(file, `${line}\n`);
    if (isError) isHidden = UNKNOWN_HOST.test(line) || (isHidden && STACK.test(line));
    if (verbose || (isError && !isHidden)) show(line);
  };
}
