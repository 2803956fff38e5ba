import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';

/*
 * A WebSocket client whose server answers each text with one, in order (RFC 6455). A request per text would take the
 * runtime three times as long, and Node's own WebSocket takes Node twice as long.
 */

const TEXT_FRAME = 0x81;
/** The bit in a length that announces a mask, which clients must send. */
const IS_MASKED = 0x80;
/** A mask that changes nothing, because no proxy is involved. */
const NO_MASK = Buffer.alloc(4);
/** Values of the seven-bit length that announce a length in two or eight bytes. */
const [IN_TWO_BYTES, IN_EIGHT_BYTES] = [126, 127];

/** Opens a WebSocket at a URL with `http:`. */
export async function openSocket(url: string): Promise<AskingSocket> {
  const key = randomBytes(16).toString('base64');
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': key,
  };
  const sent = request(url, { headers }).end();
  const [, socket, head] = (await once(sent, 'upgrade')) as [unknown, Socket, Buffer];
  return new AskingSocket(socket, head);
}

class AskingSocket {
  #socket: Socket;
  /** Data received, but not yet a complete frame. */
  #received: Buffer[] = [];
  #bytes = 0;
  /** Length of the current frame, as soon as it is known. */
  #wanted = 2;
  #waiting: PromiseWithResolvers<string>[] = [];
  #end: Error | undefined;

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket.setNoDelay(true).unref();
    socket.on('data', (bytes) => this.#take(bytes));
    // Same as D1: a connection can close at any moment.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#end = new Error('D1_ERROR: Network connection lost.');
      for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
    });
    this.#take(head);
  }

  ask(text: string): Promise<string> {
    if (this.#end) return Promise.reject(this.#end);
    const asked = Promise.withResolvers<string>();
    this.#waiting.push(asked);
    this.#socket.ref();
    this.#socket.write(frameOf(text));
    return asked.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#bytes += bytes.length;
    while (this.#bytes >= this.#wanted) {
      const all = this.#received.length === 1 ? this.#received[0]! : Buffer.concat(this.#received);
      this.#received = [all];
      const [start, end] = payloadOf(all);
      this.#wanted = end;
      if (all.length < end) return;
      if (all[0] !== TEXT_FRAME) {
        this.#socket.destroy();
        return;
      }
      this.#waiting.shift()!.resolve(all.toString('utf8', start, end));
      // An idle connection must not keep the process alive.
      if (this.#waiting.length === 0) this.#socket.unref();
      this.#received = [all.subarray(end)];
      this.#bytes = all.length - end;
      this.#wanted = 2;
    }
  }
}

function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const sizeBytes = length < IN_TWO_BYTES ? 0 : length < 2 ** 16 ? 2 : 8;
  const start = 2 + sizeBytes + NO_MASK.length;
  const frame = Buffer.alloc(start + length);
  frame[0] = TEXT_FRAME;
  frame[1] = IS_MASKED | (sizeBytes === 0 ? length : sizeBytes === 2 ? IN_TWO_BYTES : IN_EIGHT_BYTES);
  if (sizeBytes === 2) frame.writeUInt16BE(length, 2);
  if (sizeBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, start);
  return frame;
}

/** Start and end of a frame's payload, from its first bytes; a lower bound until these are complete. */
function payloadOf(frame: Buffer): [start: number, end: number] {
  const size = frame[1]!;
  if (size < IN_TWO_BYTES) return [2, 2 + size];
  const start = size === IN_TWO_BYTES ? 4 : 10;
  if (frame.length < start) return [start, start];
  return [start, start + (size === IN_TWO_BYTES ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2)))];
}
