import * as z from 'zod';
import { ACCOUNT_OF_KEY, type KeyInCheck } from '../domain/api-keys/authenticate.ts';
import { type ScanSubject, subjectForKey } from '../domain/app-scans/find-subject.ts';
import { seenAt } from '../domain/app-scans/validity.ts';
import { googleIssuerQuery } from '../domain/certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../domain/certificates/table.ts';
import type { AccountContext } from '../domain/context.ts';
import { notFound } from '../domain/errors.ts';
import { PassName } from '../domain/fields.ts';
import type { CreateRead } from '../domain/passes/create-pass.ts';
import type { DefinedPass } from '../domain/passes/find-pass.ts';
import type { Pass } from '../domain/passes/table.ts';
import type { UpdateRead } from '../domain/passes/update-pass.ts';
import { FlightFields, PassFields } from '../domain/passes/values/pass-fields.ts';
import { newestDefinitionOf } from '../domain/templates/get-template.ts';
import { type BatchPart, bothOf, EMPTY_PART, rowsOf } from '../platform/batch-part.ts';
import { prepareQuery } from '../platform/prepared-query.ts';
import { documentedAs } from './json-schema.ts';

/** Reads the named pass, and the app configuration to view it at if one is named; for `readAhead`. */
export function readPassAhead(key: KeyInCheck, passName = '', configurationId = ''): BatchPart<ScanSubject> {
  return subjectForKey(key.db, key.values, { passName, configurationId });
}

const issuersOfKey = prepareQuery((db) => googleIssuerQuery(db, ACCOUNT_OF_KEY));

/** Like `readPassAhead`, with the Google issuers that the save link may use. */
export function readPassWithIssuersAhead(
  key: KeyInCheck,
  passName?: string,
  configurationId?: string,
): BatchPart<[ScanSubject, GoogleIssuer[]]> {
  return bothOf(readPassAhead(key, passName, configurationId), rowsOf(issuersOfKey(key.db, key.values)));
}

/** Reads what an update of the pass needs. Reads nothing if the pass joins a bundle, because joining is a write. */
export function readUpdateAhead(
  key: KeyInCheck,
  passName: string | undefined,
  bundleId: unknown,
): BatchPart<UpdateRead> {
  if (bundleId) return EMPTY_PART;
  const { queries, read } = readPassWithIssuersAhead(key, passName);
  return {
    queries,
    read(results) {
      const [{ found }, issuers] = read(results);
      return { found, issuers };
    },
  };
}

const newestDefinitionOfKey = newestDefinitionOf(ACCOUNT_OF_KEY);

/** Reads what creating a pass from the template needs. Reads nothing if the pass is known to join a bundle. */
export function readCreateAhead(
  { db, values }: KeyInCheck,
  template: string,
  bundleId?: unknown,
): BatchPart<CreateRead> {
  if (bundleId) return EMPTY_PART;
  const { queries, read } = bothOf(newestDefinitionOfKey(db, template, values), rowsOf(issuersOfKey(db, values)));
  return {
    queries,
    read(results) {
      const [found, issuers] = read(results);
      return { template: found, issuers };
    },
  };
}

/** Returns what was read ahead in the first run of a request only: in a later run it may be outdated. */
export function skipOnRepeat<T>({ repeatable }: AccountContext, ahead: T): T | undefined {
  return repeatable?.isRepeat ? undefined : ahead;
}

/**
 * Returns the pass that was read ahead. `shown` is its state at the configuration: voided and redeemed if it is not
 * eligible there or has a usage. Throws `not_found` for an unknown pass or configuration.
 */
export function toShownPass(
  { found, configuration }: ScanSubject,
  configurationId?: string,
): DefinedPass & { shown: Pass } {
  if (!found || (configurationId !== undefined && !configuration)) throw notFound();
  return { ...found, shown: configuration ? seenAt(configuration, found.pass) : found.pass };
}

const WRITING_TEXT =
  'Send additional properties of the template together with these, by name or ID. Flight fields are for air ' +
  'boarding passes, where eight of them are required.';

/** The name of a template. */
export const TemplateName = PassName.describe('Identifier of the template, or its userProvidedId');

const PlacesUsedAt = z
  .union([z.literal(''), z.null(), z.array(z.string()), z.record(z.string(), z.string())])
  .optional()
  .describe(
    'An empty value clears all usages, an array of names clears these places. The object from a reply is ignored.',
  );

const Voided = z.boolean().optional().describe('Voids or restores the pass; unchanged if left out');

/**
 * Returns the schema of a pass in a request. The route checks `own`; the domain checks the writable fields and `more`,
 * because only the template knows which properties are allowed.
 */
function sentPass<S extends z.ZodRawShape>(own: S, more: z.ZodRawShape = {}) {
  const sent = z.looseObject(own, { error: 'is required and must be an object' });
  const fields = PassFields.extend({ ...FlightFields.partial().shape, ...own, ...more });
  return documentedAs(sent, fields.describe(WRITING_TEXT));
}

/** The body of a v1 create. */
export const CreateBodyV1 = sentPass({});

/** The body of a v1 update. */
export const UpdateBodyV1 = sentPass({ voided: Voided });

/** The body of a v3 create. */
export const CreateBody = z.object({ data: sentPass({ templateId: TemplateName }) });

/** The body of a v3 replace or partial update. */
export const UpdateBody = z.object({ data: sentPass({}, { placesUsedAt: PlacesUsedAt, voided: Voided }) });
