/** Shortest time between two states that watchers get. */
const DISTANCE_MS = 250;
/** A blank line this often shows watchers, and proxies between, that the connection lives. */
const HEARTBEAT_MS = 15_000;
/** What may wait for a slow reader. */
const BACKLOG_BYTES_MAX = 1024 * 1024;

const encoder = new TextEncoder();

/** Who watches a process: streams of lines, each a state as JSON or blank. A watcher that leaves is forgotten. */
export class Watchers<State> {
  #streams = new Set<ReadableByteStreamController>();
  #read: () => State;
  #left: (watching: number) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** `read` gives the state to send; `left` learns how many still watch when one has gone. */
  constructor(read: () => State, left: (watching: number) => void) {
    this.#read = read;
    this.#left = left;
  }

  /** A stream that begins with the state as it is, and ends there when `isOver`. */
  open(isOver: boolean): ReadableStream<Uint8Array> {
    let own: ReadableByteStreamController;
    return new ReadableStream({
      type: 'bytes',
      start: (controller) => {
        own = controller;
        own.enqueue(this.#line());
        if (isOver) return own.close();
        this.#streams.add(own);
        this.#heartbeat ??= setInterval(() => this.#send(encoder.encode('\n')), HEARTBEAT_MS);
      },
      cancel: () => this.#forget(own),
    });
  }

  /** Sends a change, soon: changes that follow each other quickly are sent as one. */
  announce(): void {
    if (this.#streams.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send(this.#line());
    }, DISTANCE_MS);
  }

  /** Sends the last state, and ends all streams. */
  end(): void {
    if (this.#streams.size === 0) return;
    this.#send(this.#line(), true);
    for (const stream of this.#streams) {
      stream.close();
      this.#forget(stream);
    }
  }

  #line(): Uint8Array {
    return encoder.encode(`${JSON.stringify(this.#read())}\n`);
  }

  #send(line: Uint8Array, isLast = false): void {
    for (const stream of this.#streams) {
      // A stream takes the bytes away, so each gets its own. Who reads too slowly misses states; the last one comes in
      // any case.
      if (isLast || (stream.desiredSize ?? 0) > -BACKLOG_BYTES_MAX) stream.enqueue(line.slice());
    }
  }

  #forget(stream: ReadableByteStreamController): void {
    if (!this.#streams.delete(stream)) return;
    this.#left(this.#streams.size);
    if (this.#streams.size > 0) return;
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    this.#timer = undefined;
    this.#heartbeat = undefined;
  }
}
