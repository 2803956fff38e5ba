import { APNS_ORIGIN } from '../../../src/wallets/apple/apns/direct-transport.ts';
import { COMMON, type Command } from '../command.ts';

const file = (help: string) => ({ type: 'string', value: 'FILE', path: 'file', help }) as const;
const files = (help: string) => ({ ...file(help), multiple: true }) as const;

export const TOKEN_CHARS_MIN = 20;

export const APNS_RELAY = {
  summary: 'Sends pushes to Apple for a deployed service',
  about: 'An operator runs it beside the deployment. It prints one line of JSON for each request.',
  options: {
    p12: files('pass certificate with its key; may be repeated (password: CERTIFICATE_PASSWORD)'),
    cert: files('pass certificate (PEM), with --key; may be repeated'),
    key: files('key of the certificate (PEM)'),
    p8: file('key for Apple’s push service, for pass types without a certificate here'),
    'key-id': { type: 'string', value: 'ID', help: 'identifier of the key of --p8' },
    'team-id': { type: 'string', value: 'ID', help: 'team of the key of --p8' },
    token: {
      type: 'string',
      value: 'TOKEN',
      variable: 'APNS_RELAY_TOKEN',
      help: `token of the service, ${TOKEN_CHARS_MIN} characters or more; safer in the environment`,
    },
    host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (default: 127.0.0.1)' },
    port: { type: 'string', value: 'N', help: 'port to listen on (default: 8100)' },
    'tls-cert': file('certificate (PEM) to speak HTTPS with; without it a proxy in front must'),
    'tls-key': file('key of --tls-cert'),
    'apns-host': {
      type: 'string',
      value: 'HOST',
      help: `push service instead of ${new URL(APNS_ORIGIN).host}, host or host:port`,
    },
    'apns-ca': file('CA certificate (PEM) of the push service'),
    ...COMMON,
  },
  variables: { CERTIFICATE_PASSWORD: 'password of .p12 files and keys' },
  examples: [['--p12 pass.p12 --port 8100', 'relays pushes with the certificate of a pass type']],
  output: {
    lines: {
      started: 'origin, apns',
      certificate: 'topic, expiresInDays',
      pushes: 'topic, sent, gone, retry, refused',
      stopping: 'no other members',
    },
  },
} as const satisfies Command;
