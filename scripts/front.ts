import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { Problem } from './settings.ts';

/**
 * The runtime closes connections that were idle for 5 s. Closing them sooner here avoids sending a request at that
 * moment.
 */
const IDLE_MS = 3_000;
const STARTING = 'The service is starting; try again in a moment.';
const LOOPBACK = '127.0.0.1';
const EVERYWHERE = ['0.0.0.0', '::'];
const CONNECT_MS_MAX = 1_000;
/**
 * If the headers show that a body is larger than this, the runtime gets some time to reject it. If it did so during the
 * upload, it would close the connection, and its reply could be lost.
 */
const LARGE_BYTES = 256 * 1024;
const REJECTED_WITHIN_MS = 50;

/** Paths through which wrangler exposes the runtime to local programs. They aren't part of the service. */
const RUNTIME_PATHS = /^\/(cdn-cgi|__cf_local)(\/|$)/i;
/** Headers of one connection only (RFC 9110 §7.6.1), and `host`, which must be written once. */
const CONNECTION_HEADERS = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect host'.split(
    ' ',
  ),
);
/** Headers set only by Cloudflare's network and wrangler; the Worker trusts them. */
const PLATFORM_HEADERS = /^(cf|mf)-/;

export interface Front {
  close(): Promise<void>;
}

/** Where the runtime listens; undefined until it does. */
type RuntimeOrigin = () => string | undefined;

/**
 * Starts a proxy on `host` and the loopback address, in front of a local runtime. It hides what wrangler adds, and sets
 * `CF-Connecting-IP` to the socket's address whatever a request says. Throws a `Problem` if it can't listen, or if
 * another program answers at `localhost`.
 */
export async function startFront(host: string, port: number, runtimeOrigin: RuntimeOrigin): Promise<Front> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const servers: Server[] = [];
  const close = async () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    agent.destroy();
  };
  try {
    const answered = await Promise.all([LOOPBACK, '::1'].map((loopback) => isAnswered(loopback, port)));
    if (answered.includes(true)) throw Object.assign(new Error(), { code: 'EADDRINUSE' });
    const { address } = await lookup(host);
    for (const own of EVERYWHERE.includes(address) ? [address] : new Set([address, LOOPBACK])) {
      const server = createServer((asked, reply) => answer(asked, reply, runtimeOrigin(), agent));
      servers.push(server);
      await once(server.listen({ host: own, port }), 'listening');
    }
  } catch (error) {
    await close();
    throw listenProblem(host, port, (error as NodeJS.ErrnoException).code ?? String(error));
  }
  return { close };
}

function listenProblem(host: string, port: number, code: string): Problem {
  if (code === 'EADDRINUSE') {
    return new Problem(
      `Port ${port} is taken by another program: stop it, or choose another port, for example PORT=${port + 1} npm start.`,
    );
  }
  if (code === 'EACCES') {
    return new Problem(
      `Your user may not listen on port ${port}: choose one above 1023, for example PORT=8787 npm start.`,
    );
  }
  return new Problem(`Cannot listen on ${host}, port ${port} (${code}): choose another address with HOST.`);
}

/** Some systems let two programs listen on one port at overlapping addresses. Only connecting reveals that. */
async function isAnswered(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const connected = once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS_MAX) });
  return connected
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

async function answer(asked: IncomingMessage, reply: ServerResponse, runtimeOrigin: string | undefined, agent: Agent) {
  const path = pathOf(asked.url ?? '');
  if (path === undefined) return refuse(reply, 400, 'The request must name a path, for example /health.');
  if (RUNTIME_PATHS.test(path)) return refuse(reply, 404, 'Not found');
  if (runtimeOrigin === undefined) return refuse(reply, 503, STARTING);
  const headers = headersFor(asked);
  const passed = request(runtimeOrigin, { method: asked.method, path, headers, agent });
  reply.on('close', () => passed.destroy());
  passed.on('response', (answered) => {
    // The runtime reads no further once it has answered. Many clients first send everything, then read the reply.
    asked.unpipe(passed).resume();
    reply.writeHead(answered.statusCode!, withoutConnection(answered.rawHeaders));
    pipeline(answered, reply).catch(() => reply.destroy());
  });
  // Don't interrupt a reply that has begun.
  passed.on('error', () => {
    if (!reply.headersSent) refuse(reply, 503, STARTING);
  });
  if (Number(asked.headers['content-length'] ?? 0) > LARGE_BYTES) {
    passed.flushHeaders();
    await Promise.race([once(passed, 'response'), setTimeout(REJECTED_WITHIN_MS)]).catch(() => {});
  }
  if (!reply.headersSent) asked.on('error', () => passed.destroy()).pipe(passed);
}

/**
 * Returns path and query as the runtime parses them, so that alternative spellings can't pass; undefined if the target
 * is invalid.
 */
function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  const whole = `http://localhost${target}`;
  if (!URL.canParse(whole)) return undefined;
  const { pathname, search } = new URL(whole);
  return pathname + search;
}

function headersFor(asked: IncomingMessage): string[] {
  const { headers, method = '', rawHeaders, socket } = asked;
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  const kept = withoutConnection(rawHeaders).filter(
    (_, i, all) => !PLATFORM_HEADERS.test(all[i - (i % 2)]!.toLowerCase()),
  );
  kept.push('Host', headers.host ?? 'localhost', 'CF-Connecting-IP', peer);
  // A local tunnel connects on behalf of another client.
  if (headers['cf-connecting-ip'] !== undefined) kept.push('X-Forwarded-For', String(headers['cf-connecting-ip']));
  if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] === undefined && /^(POST|PUT|PATCH)$/.test(method))
    kept.push('Content-Length', '0');
  return kept;
}

/** Returns alternating names and values, without the connection's headers. */
function withoutConnection(raw: string[]): string[] {
  return raw.filter((_, i) => !CONNECTION_HEADERS.has(raw[i - (i % 2)]!.toLowerCase()));
}

function refuse(reply: ServerResponse, status: number, message: string): void {
  reply.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
