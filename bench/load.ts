import { Agent, request } from 'node:http';

/** A client's request. */
export interface Call {
  method?: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Measurements of one round. */
export interface Round {
  /** Items per second: requests, or passes. */
  rate: number;
  /** Milliseconds from sending to the last byte, per request. */
  latencies: number[];
  /** The server's processor milliseconds per item, if the system reports them. */
  processorMillis?: number;
}

const CLIENTS = 8;

/**
 * Sends requests for some seconds over persistent connections; each client sends the next one once its reply is
 * complete. `next` creates a request. Rejects if a reply isn't successful.
 */
export async function load(origin: string, next: () => Call, seconds: number): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const client = async () => {
    for (let now = performance.now(); now < end; ) {
      await send(origin, agent, next());
      const done = performance.now();
      latencies.push(done - now);
      now = done;
    }
  };
  try {
    await Promise.all(Array.from({ length: CLIENTS }, client));
  } finally {
    agent.destroy();
  }
  return { rate: (latencies.length * 1000) / (performance.now() - begin), latencies };
}

function send(origin: string, agent: Agent, { method = 'GET', path, headers, body }: Call): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { agent, method, headers }, (reply) => {
      reply.resume();
      reply.on('error', reject);
      reply.on('end', () => {
        if (reply.statusCode === 200 || reply.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path} was answered with ${reply.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
