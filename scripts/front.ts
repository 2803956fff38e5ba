import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The runtime ends connections that were idle for 5 s; a request must not meet that moment. */
const IDLE_MS = 3_000;
const LOOPBACK = '127.0.0.1';
const EVERYWHERE = ['0.0.0.0', '::'];

/** Paths by which wrangler lets programs on this machine look into the runtime; they are no part of the service. */
const RUNTIME_PATHS = /^\/(cdn-cgi|__cf_local)(\/|$)/i;
/** These belong to one connection (RFC 9110 §7.6.1), and `host` is written once. */
const CONNECTION_HEADERS = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade expect host'.split(
    ' ',
  ),
);
/** Headers that only Cloudflare's network and wrangler write; the Worker believes them. */
const PLATFORM_HEADERS = /^(cf|mf)-/;

export interface Front {
  close(): Promise<void>;
}

/**
 * Listens on `host` and `port`, and on the loopback address too, in front of a runtime on this machine. It passes on
 * what is for the Worker and answers nothing that wrangler adds. It writes the socket's address into
 * `CF-Connecting-IP`, whatever a request says. Rejects when it cannot listen.
 */
export async function startFront(host: string, port: number, runtimeOrigin: string): Promise<Front> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const { address } = await lookup(host);
  const hosts = EVERYWHERE.includes(address) || address === LOOPBACK ? [address] : [address, LOOPBACK];
  const servers = hosts.map(() => createServer((asked, reply) => answer(asked, reply, runtimeOrigin, agent)));
  const close = async () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    agent.destroy();
  };
  try {
    await Promise.all(servers.map((server, i) => once(server.listen({ host: hosts[i], port }), 'listening')));
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

async function answer(asked: IncomingMessage, reply: ServerResponse, runtimeOrigin: string, agent: Agent) {
  const path = pathOf(asked.url ?? '');
  if (path === undefined) return refuse(reply, 400, 'The request must name a path, for example /health.');
  if (RUNTIME_PATHS.test(path)) return refuse(reply, 404, 'Not found');
  const headers = headersFor(asked);
  const passed = request(runtimeOrigin, { method: asked.method, path, headers, agent });
  reply.on('close', () => passed.destroy());
  passed.on('response', (answered) => {
    reply.writeHead(answered.statusCode!, withoutConnection(answered.rawHeaders));
    pipeline(answered, reply).catch(() => reply.destroy());
  });
  // The runtime may answer before it has read everything: what has begun to be answered goes its way.
  pipeline(asked, passed).catch(() => {
    if (!reply.headersSent) refuse(reply, 503, 'The service is starting; try again in a moment.');
  });
}

/** Path and query as the runtime reads them, so that no other spelling passes; undefined where the target is none. */
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
  // A tunnel that ends on this machine speaks for somebody else.
  if (headers['cf-connecting-ip'] !== undefined) kept.push('X-Forwarded-For', String(headers['cf-connecting-ip']));
  if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked');
  else if (headers['content-length'] === undefined && /^(POST|PUT|PATCH)$/.test(method))
    kept.push('Content-Length', '0');
  return kept;
}

/** Names and values in turn, without those of the connection. */
function withoutConnection(raw: string[]): string[] {
  return raw.filter((_, i) => !CONNECTION_HEADERS.has(raw[i - (i % 2)]!.toLowerCase()));
}

function refuse(reply: ServerResponse, status: number, message: string): void {
  reply.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
