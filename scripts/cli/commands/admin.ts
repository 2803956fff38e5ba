import { SCOPES } from '../../../src/domain/api-keys/scopes.ts';
import { PRIVILEGES } from '../../../src/domain/users/privileges.ts';
import { COMMON, type Command, type Option, PLACES } from '../command.ts';

const text = (value: string, help: string) => ({ type: 'string', value, help }) as const;
const file = (help: string) => ({ type: 'string', value: 'FILE', path: 'file', help }) as const;
const flag = (help: string) => ({ type: 'boolean', help }) as const;
const SWITCHED = ['on', 'off'] as const;
const quota = (of: string) => text('N|none', `quota of ${of}`);
const retention = (of: string) => text('N|none', `days after which ${of} are deleted`);

/** All options of administration commands. The Worker checks which command takes which. */
const ADMIN_OPTIONS = {
  name: text('NAME', 'name of the new object, or of a database'),
  timezone: text('ZONE', 'time zone, such as Europe/Zurich'),
  database: text('NAME', 'database of a new account, such as DB_1'),
  to: text('NAME', 'database that an account moves to'),
  account: text('ID', 'identifier of the account'),
  id: text('ID', 'identifier of the object'),
  confirm: text('NAME', 'name of the account that is deleted'),
  'user-provided-links': { ...text('on|off', 'pages by userProvidedId'), choices: SWITCHED },
  'require-passkey': { ...text('on|off', 'whether members need a passkey'), choices: SWITCHED },
  'reply-to': text('E-MAIL|none', 'reply-to address of mails'),
  'passes-max': quota('passes'),
  'active-passes-max': quota('active passes'),
  'messages-per-day': quota('messages a day'),
  'requests-per-minute': quota('requests a minute'),
  'sub-customers-max': quota('sub-customers'),
  'retention-expired-passes-days': retention('expired passes'),
  'retention-voided-passes-days': retention('voided passes'),
  'retention-scans-days': retention('scans'),
  'retention-messages-days': retention('messages'),
  email: text('E-MAIL', 'address of the person'),
  privilege: { ...text('NAME', 'privilege of the member; may be repeated'), choices: PRIVILEGES, multiple: true },
  scope: { ...text('SCOPE', 'scope of the key; may be repeated (default: all)'), choices: SCOPES, multiple: true },
  template: { ...text('ID', 'template that the key is restricted to; may be repeated'), multiple: true },
  'allow-ip': { ...text('CIDR', 'address that may use the key; may be repeated'), multiple: true },
  expires: text('DATE', 'last day of the key, or a time such as 2026-12-24T09:10:00Z'),
  cert: file('certificate (PEM or DER)'),
  key: file('private key of the certificate'),
  p12: file('certificate with its key'),
  intermediate: file('certificate of the issuer'),
  password: text('TEXT', 'password of the key; CERTIFICATE_PASSWORD in the environment is safer'),
  'issuer-id': text('N', 'number of the Google issuer'),
  'service-account': file('key file (JSON) of the Google service account'),
  'stand-in-url': text('URL', 'server that stands in for Google'),
  'base-url': text('URL', 'public https address of the service'),
  'pass-type': text('ID', 'pass type identifier'),
  'relay-url': text('URL', 'address of the relay for pushes'),
  'relay-token': text('TOKEN', 'token of the relay; APNS_RELAY_TOKEN in the environment is safer'),
  'mtls-binding': text('NAME', 'binding of mtls_certificates in wrangler.toml'),
  p8: file('key for Apple’s push service'),
  'key-id': text('ID', 'identifier of the key of --p8'),
  'team-id': text('ID', 'team of the key of --p8'),
  limit: text('N', 'number of entries'),
  before: text('POSITION', 'continues the list after an entry'),
  after: text('PLACE', 'continues at a position that an earlier run printed'),
  all: flag('all of them'),
  none: flag('removes the setting'),
  on: flag('grants the permission'),
  off: flag('revokes the permission'),
  development: flag('marks it as one for development'),
  default: flag('makes its pass type the default'),
} as const satisfies Record<string, Option>;

/** Options of every administration command. */
export const ADMIN_COMMON = {
  remote: flag('works on the deployed database instead of the one on this machine'),
  repeat: text('KEY', 'repeats a command whose answer was lost, within a day, without applying it twice'),
  ...PLACES,
  ...COMMON,
} as const;

export const ADMIN = {
  summary: 'Manages accounts, keys, certificates, databases and failed jobs',
  about:
    'If the service runs on this machine, a command runs in it, otherwise in a Worker started for the command. With --remote, it uses the deployed database.',
  argument: { shown: '<command>', help: 'one of the commands above', isRequired: true },
  options: { ...ADMIN_OPTIONS, ...ADMIN_COMMON },
  variables: {
    ENCRYPTION_KEYS: 'with --remote: the secret of the deployed Worker',
    CLOUDFLARE_API_TOKEN: 'with --remote: signs in to Cloudflare; without it, "npx wrangler login" does',
  },
  examples: [
    ['account list', 'lists the accounts'],
    ['sign-in-link --email demo@example.com', 'prints a link to the console'],
    ['account move --id $ACCOUNT_ID --to DB_1', 'moves an account to another database'],
    ['status --remote --json', 'prints the state of the deployed service'],
  ],
  output: { document: { '': 'the reply of the command: an object, or a list of objects' } },
} as const satisfies Command;

/** Help text of each administration command. A test compares the names with the commands. */
export const ADMIN_SUMMARIES: Record<string, string> = {
  'account create': 'Creates an account with an API key',
  'account delete': 'Deletes an account and all its data',
  'account list': 'Lists all accounts',
  'account move': 'Moves an account to another database',
  'account resume': 'Resumes a suspended account',
  'account suspend': 'Suspends an account',
  'account update': 'Changes settings, quotas and retention of an account',
  'api-key activate': 'Activates an API key',
  'api-key create': 'Creates an API key',
  'api-key deactivate': 'Deactivates an API key',
  'api-key delete': 'Deletes an API key',
  'api-key delete-unused': 'Deletes keys that were never used',
  'api-key list': 'Lists the API keys of an account',
  'certificate import': 'Imports a certificate for Apple Wallet',
  'certificate list': 'Lists certificates',
  'certificate push': 'Sets how pushes reach Apple',
  'database close': 'Closes a database for new accounts',
  'database list': 'Lists the databases with their size',
  'database open': 'Opens a database for new accounts',
  'dead-letter discard': 'Discards a failed job',
  'dead-letter list': 'Lists failed jobs',
  'dead-letter retry': 'Retries failed jobs',
  'google-issuer import': 'Imports a Google issuer',
  'search reindex': 'Rebuilds the search index',
  'secrets rotate': 'Encrypts stored secrets with the current key',
  'service show': 'Shows the address of the service',
  'service update': 'Changes the address of the service',
  'sign-in-link': 'Creates a link that signs a person in',
  'signing-key rotate': 'Rotates the key of signed codes',
  status: 'Shows the state of the service',
  'user invite': 'Invites a member to an account',
  'user operator': 'Grants or revokes operator permissions',
  'user remove-passkeys': 'Removes the passkeys of a person',
  'wallets refresh': 'Pushes all passes of an account again',
};
