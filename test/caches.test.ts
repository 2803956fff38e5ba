import { type ESTree, Visitor } from 'vite';
import { describe, expect, test } from 'vitest';
import { isTypeScript, parse, readFiles, type SourceFile } from './support/source-file.ts';

/*
 * Isolates are shared by all tenants. Every value that a module caches is listed here, with its key and why the key
 * can't belong to another tenant.
 */

const CACHES: Record<string, string> = {
  'src/api/json-schema.ts documentedSchemas': 'by schema: what the code says of it',
  'src/api/openapi.ts built': 'the contract, the same for everybody',
  'src/api/operation.ts operations': 'by handler: what the code says of a route',
  'src/api/operation.ts validations': 'by handler: what the code says of a route',
  'src/api/read-ahead.ts declarations': 'by handler: what the code says of a route',
  'src/app.ts loaded': 'by paths: the code that serves them',
  'src/app/console.ts apps': 'by section: what the code says of it',
  'src/dev/activity.ts listener': 'who advances the clock of a local service',
  'src/dev/activity.ts moves': 'a number that rises with whatever a local service does',
  'src/dev/activity.ts running': 'how much a local service is doing',
  'src/dev/activity.ts sent': 'messages of a local service on their way, which only its clock waits for',
  'src/dev/clock.ts isKnown': 'the clock of a local service, the same for everybody',
  'src/dev/clock/advance-clock.ts lockedUntil': 'the clock of a local service, the same for everybody',
  'src/dev/clock/kept-clock.ts isShifted': 'the clock of a local service, the same for everybody',
  'src/dev/metrics.ts askedAt': 'the clock of a local service, which has no other tenants’ points to show',
  'src/dev/metrics.ts waiting': 'data points of a local service, of whatever account, on their way to a table',
  'src/domain/api-keys/authenticate.ts zonesSeen':
    'by lookup of a good key: the time zone that its account had, which only what is read ahead is taken for',
  'src/domain/app-scans/find-subject.ts seenAt':
    'by identifier of a configuration that was found in the account, digest of a link, or lookup of a good key; a definition counts only for the pass whose row names its template and version',
  'src/domain/app-scans/insert-scan.ts prepared': 'by shape of a statement, which has no values',
  'src/domain/certificates/private-keys.ts opened': 'by identifier of the certificate, issuer or signing key',
  'src/domain/certificates/push-settings.ts opened': 'by owner and encrypted text, which is different for each',
  'src/domain/databases/follow-moves.ts placesSeen':
    'by identifier, key or link: in which database to look first; each is asked whether it has it',
  'src/domain/databases/follow-moves.ts askedAt': 'the clock of the map of the shards, by its directory',
  'src/domain/images/find-image.ts known': 'by digest of the content',
  'src/domain/images/hold-images.ts holds': 'by the meter of one request',
  'src/domain/metrics/outcomes.ts noted': 'by the meter of one job',
  'src/domain/pass-facts/asked-devices.ts waiting':
    'by identifier of the pass, for two seconds: digests of devices that asked for it',
  'src/domain/passes/card/card-parts.ts constants': 'by the definition object itself',
  'src/domain/passes/card/card-parts.ts templateImages': 'by the images of the definition, the object itself',
  'src/domain/passes/card/card-texts.ts known': 'by the definition object itself',
  'src/domain/passes/page/links.ts opened': 'by identifier of the pass, and encrypted text',
  'src/domain/public-address.ts known': 'the address of the service, by the directory that says so',
  'src/domain/rate-limits.ts goodSecrets': 'by digest of the secret itself, and only whether it was found good',
  'src/domain/rate-limits.ts refusedSecrets':
    'by network and digest of the secret itself, and only whether it was refused there',
  'src/domain/rate-limits.ts tallies':
    'by limit and the network that fails, for codes with the identifier of the scanner link; only numbers of failures',
  'src/domain/service-settings/read-address.ts reading': 'readings of that address under way, by the directory',
  'src/domain/setup/set-up-service.ts closedUntil': 'until when no first account can be made, by the directory',
  'src/domain/shard-map.ts keptAt': 'when the kept map was read, by the directory',
  'src/domain/shard-map.ts maps':
    'where shards and accounts live, by the directory that says so; the same for everybody',
  'src/domain/shard-map.ts readAt': 'when that was read, by the directory',
  'src/domain/signing-keys/signer.ts loading': 'by the context of one request',
  'src/domain/signing-keys/signer.ts searched': 'by the definition object itself',
  'src/domain/signing-keys/signer.ts signatures': 'by identifier of the signing key, and the text',
  'src/domain/signing-keys/signer.ts signers': 'by identifier of the signing key',
  'src/domain/templates/apple/kinds.ts optionals': 'by schema: what the code says of it',
  'src/domain/templates/get-template.ts cache': 'by identifier and version of the template',
  'src/domain/templates/get-template.ts latestSeen':
    'by identifier of the template, or of the account with a name; it only spares a column of a row that the account is asked for',
  'src/domain/webhooks/payload-signers.ts keys': 'by identifier of the signing key',
  'src/domain/webhooks/secrets.ts opened': 'by identifier of the subscription, and encrypted text',
  'src/domain/quotas/take-request.ts noted':
    'by identifier of the account and number of requests: what was noted lately',
  'src/pages/console/templates/designer/draw-preview.ts viewedAt':
    'by identifier of the user and of the pass: when the audit log last got an entry',
  'src/platform/asset-cache.ts assetCache': 'by name of an image, which is the digest of its content',
  'src/platform/clock.ts steps': 'how the clock of a local service was advanced, the same for everybody',
  'src/platform/dates.ts offsets': 'by time zone and minute',
  'src/platform/dates.ts offsetYears': 'by time zone and year',
  'src/platform/db.ts checked': 'by text of a statement, which has no values',
  'src/platform/sealed-text.ts known': 'the keys of the service, by its settings',
  'src/platform/ids.ts lastMillis': 'the clock of identifiers',
  'src/platform/ids.ts sequence': 'the clock of identifiers',
  'src/platform/outbound.ts known': 'by a URL itself and what it may name: only that its text was found fine',
  'src/platform/raw-statement.ts KEYED': 'the tables that a migration stores by their keys',
  'src/platform/row-reader.ts known': 'by the columns of a query, which have no values',
  'src/platform/zip.ts encodedNames': 'by the name that is encoded',
  'src/wallets/apple/airports.ts airports': 'a table of the product',
  'src/wallets/apple/apns/direct-transport.ts tokens': 'by the private key itself, with team, key and time',
  'src/wallets/apple/images.ts icons': 'images of the product',
  'src/wallets/apple/images.ts kept': 'by the images of a definition, the object itself',
  'src/wallets/apple/pass-file-cache.ts signers': 'by identifier of the certificate',
  'src/wallets/apple/signature.ts attributesAt': 'the clock of signatures: no digest stays in it',
  'src/wallets/apple/strings.ts kept':
    'by the translations of a definition, the object itself, and the texts of places',
  'src/wallets/google/signer.ts tokens': 'by identifier of the issuer’s row, and its address',
  'src/wallets/google/client.ts knownClasses':
    'by identifier of the issuer’s row, and name of the class, which stands for its content',
  'src/wallets/google/call-google.ts standIns':
    'by number of the issuer, in a local service only, where its operator alone names stand-ins',
  'src/wallets/google/verify-callback.ts kept': 'by address of the keys that Google publishes',
  'src/wallets/google/shared-calls.ts shared': 'by the meter of one job',
  'src/wallets/google/signer.ts signers': 'by identifier of the issuer’s row',
};

/** Code in browsers belongs to its user. */
const inWorker = ({ path }: { path: string }) => !path.includes('/client/');

/** Returns a module's mutable top-level state: collections that start empty, and variables. */
function keptBy({ path, program }: SourceFile): string[] {
  const found: string[] = [];
  const look = (declaration: ESTree.VariableDeclaration) => {
    for (const { id, init } of declaration.declarations) {
      if (id.type !== 'Identifier') continue;
      if (declaration.kind !== 'const' || (init && isCollection(init))) found.push(`${path} ${id.name}`);
    }
  };
  for (const node of program.body) {
    if (node.type === 'VariableDeclaration') look(node);
    if (node.type === 'ExportNamedDeclaration' && node.declaration?.type === 'VariableDeclaration') {
      look(node.declaration);
    }
  }
  new Visitor({
    PropertyDefinition(node) {
      if (node.static && (!node.value || isCollection(node.value))) found.push(`${path} static`);
    },
  }).visit(program);
  return found;
}

/** Constants are created with their content, or by a function; collections and caches start empty. */
function isCollection(node: ESTree.Expression): boolean {
  if (node.type === 'ArrayExpression') return node.elements.length === 0;
  if (node.type === 'ObjectExpression') return node.properties.length === 0;
  if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return false;
  const { name } = node.callee;
  return /^(Weak)?(Map|Set)$/.test(name) ? node.arguments.length === 0 : /Lru|Cache|WeakRef/.test(name);
}

describe('what an isolate keeps', () => {
  const kept = readFiles('src').filter(isTypeScript).filter(inWorker).map(parse).flatMap(keptBy).sort();

  test('is listed with its key, and nothing else is', () => {
    expect(kept).toEqual(Object.keys(CACHES).sort());
  });

  test.each([
    ['const kept = new Map<string, string>();'],
    ['export const kept = new Lru<string>(10);'],
    ['const kept = new WeakMap();'],
    ['const kept = new Set<string>();'],
    ['export const kept = new PassCache(1);'],
    ['const kept: Record<string, string> = {};'],
    ['let last: string | undefined;'],
    ['class A { static kept = new Map(); }'],
  ])('notices %s', (text) => {
    expect(keptBy(parse({ path: 'src/a.ts', text }))).toHaveLength(1);
  });

  test.each([
    ['const NAMES = new Set(["a"]);'],
    ['const BY = new Map([[1, 2]]);'],
    ['const encoder = new TextEncoder();'],
  ])('treats %s as a constant', (text) => {
    expect(keptBy(parse({ path: 'src/a.ts', text }))).toEqual([]);
  });
});
