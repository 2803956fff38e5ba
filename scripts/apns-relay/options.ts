import { parseArgs } from 'node:util';
import { APNS_ORIGIN } from '../../src/wallets/apple/apns/direct-transport.ts';
import { readFile } from '../certificate-files.ts';
import { Problem } from '../settings.ts';
import { readCredentials } from './credentials.ts';
import type { RelayOptions } from './relay.ts';

const TEXT = { type: 'string' } as const;
const TEXTS = { ...TEXT, multiple: true } as const;

const OPTIONS = {
  host: TEXT,
  port: TEXT,
  token: TEXT,
  p12: TEXTS,
  cert: TEXTS,
  key: TEXTS,
  p8: TEXT,
  'key-id': TEXT,
  'team-id': TEXT,
  'apns-host': TEXT,
  'apns-ca': TEXT,
  'tls-cert': TEXT,
  'tls-key': TEXT,
  help: { type: 'boolean', short: 'h' },
} as const;

const TOKEN_CHARS_MIN = 20;
const PORT_DEFAULT = 8100;
const PORT_MAX = 65_535;

export const USAGE = `npm run apns-relay -- [options]: pushes to Apple for a deployed pass wallet service

  --p12 F               pass certificate with its key, for its pass type; may be repeated (password: CERTIFICATE_PASSWORD)
  --cert F --key F      the same as two files (PEM); may be repeated
  --p8 F --key-id K --team-id T   a key for Apple's push service, for pass types without a certificate here
  --token T             token of the service; better set it as APNS_RELAY_TOKEN (${TOKEN_CHARS_MIN} characters or more)
  --host H --port P     address to listen on; default 127.0.0.1 and ${PORT_DEFAULT}
  --tls-cert F --tls-key F        speak HTTPS; without them a proxy in front must
  --apns-host H         push service instead of ${new URL(APNS_ORIGIN).host}, host or host:port
  --apns-ca F           CA certificate (PEM) of the push service`;

/** Reads the command line and the environment; undefined: only help was asked for. Throws a `Problem`. */
export function readRelayOptions(words: string[], env: NodeJS.ProcessEnv): RelayOptions | undefined {
  const given = parse(words);
  if (given.help) return undefined;
  const token = given.token ?? env.APNS_RELAY_TOKEN ?? '';
  if (token.length < TOKEN_CHARS_MIN) {
    throw new Problem(
      `Set APNS_RELAY_TOKEN to at least ${TOKEN_CHARS_MIN} characters that nobody can guess, for example with: ` +
        'export APNS_RELAY_TOKEN=$(openssl rand -hex 32)',
    );
  }
  if (Boolean(given['tls-cert']) !== Boolean(given['tls-key'])) throw new Problem('Give --tls-cert its --tls-key.');
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

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS }).values;
  } catch (error) {
    throw new Problem(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function readPort(text: string | undefined): number {
  const port = text === undefined ? PORT_DEFAULT : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new Problem(`--port must be a number from 0 to ${PORT_MAX}, not "${text}".`);
}

function readApnsOrigin(host: string): string {
  const url = URL.parse(`https://${host}`);
  if (!url || url.host !== host.toLowerCase())
    throw new Problem(`--apns-host must be a host or host:port, not "${host}".`);
  return url.origin;
}
