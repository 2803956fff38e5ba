/** Minimum interval between two states for watchers. */
const INTERVAL_MS_MIN = 250;
/** A blank line at this interval shows watchers, and proxies in between, that the connection is alive. */
const HEARTBEAT_MS = 15_000;
/** Maximum backlog of a slow reader, in bytes. */
const BACKLOG_BYTES_MAX = 1024 * 1024;
/** A state with many errors is sent less often: this many bytes a millisecond to all watchers together. */
const BYTES_PER_MS = 2_000;
/** Maximum number of watchers. Each may hold a state of a few megabytes. */
export const WATCHERS_MAX = 20;

const encoder = new TextEncoder();

/** Watchers of a process: streams of lines, each a state as JSON or blank. Watchers that leave are removed. */
export class Watchers<State> {
  #streams = new Set<ReadableByteStreamController>();
  #read: () => State;
  #left: (watching: number) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #bytesSent = 0;

  /** `read` returns the state to send; `left` receives the number of remaining watchers after one leaves. */
  constructor(read: () => State, left: (watching: number) => void) {
    this.#read = read;
    this.#left = left;
  }

  /** Opens a stream that starts with the current state, and ends there if `isOver`. Undefined if there are too many. */
  open(isOver: boolean): ReadableStream<Uint8Array> | undefined {
    if (!isOver && this.#streams.size >= WATCHERS_MAX) return undefined;
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

  /** Sends a change soon: several quick changes are sent as one. */
  announce(): void {
    if (this.#streams.size === 0) return;
    const interval = Math.max(INTERVAL_MS_MIN, this.#bytesSent / BYTES_PER_MS);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const line = this.#line();
      this.#bytesSent = line.length * this.#streams.size;
      this.#send(line);
    }, interval);
  }

  /** Sends the last state and ends all streams. */
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
      // A stream transfers the bytes, so each gets its own copy. Slow readers miss states, but never the last one.
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
