import { createWriteStream, fchmodSync, openSync, type WriteStream } from 'node:fs';

/** How a line of wrangler begins that belongs to no error. */
const OTHER_LINE = /^(\[wrangler:|⎔|▲|\{|$)/;
/** How wrangler begins an error. */
export const ERROR_LINE = /^(\[wrangler:error\]|✘ \[ERROR\]|X \[ERROR\])/;

/** What workerd says of a host that it does not find; who asked for it tells what became of that. */
const UNKNOWN_HOST = /failed to lookup address information/;

/** Paths of pages and links are secrets. */
const PRIVATE_MODE = 0o600;

/**
 * Splits the Worker's output: everything goes to a file, errors and (when `verbose`) all the rest to the terminal as
 * well.
 */
export class WorkerLog {
  #file: WriteStream;
  #show: (line: string) => void;
  #verbose: boolean;
  #insideError = false;

  constructor(path: string, verbose: boolean, show: (line: string) => void) {
    const fd = openSync(path, 'w', PRIVATE_MODE);
    // The mode above counts only for a file that is new.
    fchmodSync(fd, PRIVATE_MODE);
    this.#file = createWriteStream(path, { fd });
    this.#verbose = verbose;
    this.#show = show;
  }

  write(line: string): void {
    this.#file.write(`${line}\n`);
    if (this.#isError(line) || this.#verbose) this.#show(line);
  }

  /** Ends the file and returns its stream. */
  close(): WriteStream {
    return this.#file.end();
  }

  /** An error goes on (stack, frame of code) until a line that begins something else. */
  #isError(line: string): boolean {
    if (OTHER_LINE.test(line) || UNKNOWN_HOST.test(line)) this.#insideError = false;
    if (isError(line)) this.#insideError = true;
    return this.#insideError;
  }
}

function isError(line: string): boolean {
  return (ERROR_LINE.test(line) && !UNKNOWN_HOST.test(line)) || isErrorOfTheWorker(line);
}

/** The Worker logs JSON lines with a `level`. */
function isErrorOfTheWorker(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    return (JSON.parse(line) as { level?: string }).level === 'error';
  } catch {
    return false;
  }
}
