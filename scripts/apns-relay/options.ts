import { APNS_ORIGIN } from '../../src/wallets/apple/apns/direct-transport.ts';
import { readFile } from '../certificate-files.ts';
import { APNS_RELAY, TOKEN_CHARS_MIN } from '../cli/commands/apns-relay.ts';
import { parseWords } from '../cli/parse-words.ts';
import { Problem, UsageProblem } from '../settings.ts';
import { readCredentials } from './credentials.ts';
import type { RelayOptions } from './relay.ts';

const PORT_DEFAULT = 8100;
const PORT_MAX = 65_535;

/** Reads the command line and the environment. Throws a `Problem` for invalid options. */
export function readRelayOptions(words: string[], env: NodeJS.ProcessEnv): RelayOptions {
  const given = parseWords(APNS_RELAY, words).values;
  const token = given.token ?? env.APNS_RELAY_TOKEN ?? '';
  if (token.length < TOKEN_CHARS_MIN) {
    throw new Problem(
      `Set APNS_RELAY_TOKEN to at least ${TOKEN_CHARS_MIN} characters of random text, for example with: ` +
        'export APNS_RELAY_TOKEN=$(openssl rand -hex 32)',
    );
  }
  if (Boolean(given['tls-cert']) !== Boolean(given['tls-key'])) throw new UsageProblem('--tls-cert needs --tls-key.');
  return {
    host: given.host ?? '127.0.0.1',
    port: readPort(given.port),
    token,
    credentials: readCredentials(given),
    apnsOrigin: given['apns-host'] ? readApnsOrigin(given['apns-host']) : APNS_ORIGIN,
    apnsCaPem: given['apns-ca'] && readFile(given['apns-ca']).toString(),
    tls: given['tls-cert']
      ? { cert: readFile(given['tls-cert']).toString(), key: readFile(given['tls-key']!).toString() }
      : undefined,
  };
}

function readPort(text: string | undefined): number {
  const port = text === undefined ? PORT_DEFAULT : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new UsageProblem(`--port must be a number from 0 to ${PORT_MAX}, not "${text}".`);
}

function readApnsOrigin(host: string): string {
  const url = URL.parse(`https://${host}`);
  if (!url || url.host !== host.toLowerCase())
    throw new UsageProblem(`--apns-host must be a host or host:port, not "${host}".`);
  return url.origin;
}
