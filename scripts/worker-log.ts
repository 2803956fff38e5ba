import { createWriteStream, fchmodSync, openSync, type WriteStream } from 'node:fs';

/** What workerd says of a host that it does not find; who asked for it tells what became of that. */
const UNKNOWN_HOST = /failed to lookup address information/;

/** Paths of pages and links are secrets. */
const PRIVATE_MODE = 0o600;

/** Keeps the Worker's output: all of it goes to a file, errors and (when `verbose`) all the rest also to `show`. */
export class WorkerLog {
  #file: WriteStream;
  #show: (line: string) => void;
  #verbose: boolean;

  constructor(path: string, verbose: boolean, show: (line: string) => void) {
    const fd = openSync(path, 'w', PRIVATE_MODE);
    // The mode above counts only for a file that is new.
    fchmodSync(fd, PRIVATE_MODE);
    this.#file = createWriteStream(path, { fd });
    this.#verbose = verbose;
    this.#show = show;
  }

  write(line: string, isError: boolean): void {
    this.#file.write(`${line}\n`);
    if (this.#verbose || (isError && !UNKNOWN_HOST.test(line))) this.#show(line);
  }

  /** Ends the file and returns its stream. */
  close(): WriteStream {
    return this.#file.end();
  }
}
