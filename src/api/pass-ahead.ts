import { ACCOUNT_OF_KEY, type KeyInCheck } from '../domain/api-keys/authenticate.ts';
import { type ScanSubject, subjectForKey } from '../domain/app-scans/find-subject.ts';
import { seenAt } from '../domain/app-scans/validity.ts';
import { googleIssuerQuery } from '../domain/certificates/find-google-issuer.ts';
import type { GoogleIssuer } from '../domain/certificates/table.ts';
import { notFound } from '../domain/errors.ts';
import type { DefinedPass } from '../domain/passes/find-pass.ts';
import type { Pass } from '../domain/passes/table.ts';
import { type BatchPart, bothOf, rowsOf } from '../platform/batch-part.ts';
import { prepareQuery } from '../platform/prepared-query.ts';

/** Reads the pass of a name, and the configuration that it is to be seen at, if one is named; for `readAhead`. */
export function passAhead(key: KeyInCheck, passName = '', configurationId = ''): BatchPart<ScanSubject> {
  return subjectForKey(key.db, { lookup: key.lookup }, { passName, configurationId });
}

const issuersOfKey = prepareQuery((db) => googleIssuerQuery(db, ACCOUNT_OF_KEY));

/** Like `passAhead`, with the Google issuers that the save link may come from. */
export function passWithIssuersAhead(
  key: KeyInCheck,
  passName?: string,
  configurationId?: string,
): BatchPart<[ScanSubject, GoogleIssuer[]]> {
  return bothOf(passAhead(key, passName, configurationId), rowsOf(issuersOfKey(key.db, { lookup: key.lookup })));
}

/**
 * The pass that was read ahead; `shown` is the same as it is worth at the configuration: voided and redeemed where it
 * is not eligible or has a usage. Throws not found for an unknown pass or configuration.
 */
export function toShownPass(
  { found, configuration }: ScanSubject,
  configurationId?: string,
): DefinedPass & { shown: Pass } {
  if (!found || (configurationId !== undefined && !configuration)) throw notFound();
  return { ...found, shown: configuration ? seenAt(configuration, found.pass) : found.pass };
}
