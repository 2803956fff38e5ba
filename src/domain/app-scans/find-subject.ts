import { and, eq, getTableColumns, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SQLiteSelect } from 'drizzle-orm/sqlite-core';
import type { BatchPart } from '../../platform/batch-part.ts';
import type { Db } from '../../platform/db.ts';
import { Lru } from '../../platform/lru.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import { ACCOUNT_OF_KEY, type KeyValues, ROW_OF_KEY } from '../api-keys/authenticate.ts';
import { ACCOUNT_OF_LINK } from '../app-configurations/open-link.ts';
import { canScanOneOf } from '../app-configurations/restricted.ts';
import { type AppConfiguration, appConfigurations } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import {
  barcodeOwner,
  type DefinedPass,
  FOUND_PASS,
  type FoundPass,
  idNamed,
  shownVersion,
} from '../passes/find-pass.ts';
import { isOfAccount } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { CACHED_CHARS_MAX, readDefinition } from '../templates/get-template.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { isMeant, textBeforeCode } from './scanned-code.ts';
import { type AppScan, appScans } from './table.ts';

/** Subject of a scan, as the scan names it. */
export interface ScanQuestion {
  /** Empty: no configuration. */
  configurationId: string;
  /** Name of the pass, which takes precedence over a barcode. */
  passName?: string;
  barcode?: string;
  /** UUID that the device gave the scan. */
  clientId?: string;
}

/** Subject of a scan, as it was found. */
export interface ScanSubject {
  configuration?: AppConfiguration;
  found?: DefinedPass;
  /** Scan that an earlier delivery of the same message caused. */
  earlier?: AppScan;
}

const placeholder = sql.placeholder;

/**
 * Last definition that an isolate saw, by configuration row, link digest or key. The next pass there usually has the
 * same template, so its definition isn't transferred again. Foreign configurations aren't stored.
 */
const seenAt = new Lru<{ key: string; definition: StoredDefinition }>(CACHED_CHARS_MAX);

type PassRow = FoundPass & { definition: string | null };

/**
 * Builds the queries of a scan for the `account` (SQL with placeholders, filled from `values`). A barcode names the
 * newest pass with that value, or the pass with that generated identifier, which people can type. For rotating codes,
 * the text before the one-time code also counts.
 */
function subjectQueries(account: SQL | Placeholder, owner?: typeof ROW_OF_KEY, templateIds?: Placeholder) {
  const own = owner?.account ?? account;
  const configuration = prepareQuery((db) =>
    ofOwner(db.select(getTableColumns(appConfigurations)).from(appConfigurations).$dynamic(), owner).where(
      and(
        eq(appConfigurations.id, placeholder('configurationId')),
        eq(appConfigurations.accountId, own),
        isNull(appConfigurations.deletedAt),
        whereRestricted(canScanOneOf, owner, templateIds),
      ),
    ),
  );
  const earlier = prepareQuery((db) =>
    db
      .select()
      .from(appScans)
      .where(and(eq(appScans.accountId, account), eq(appScans.clientId, placeholder('clientId')))),
  );
  const permitted = whereRestricted(isListed, owner, templateIds);
  // The second lookup runs only if the first one finds nothing.
  const scanned = sql`coalesce(${barcodeOwner(own, placeholder('name'), permitted)}, ${barcodeOwner(own, placeholder('text'), permitted)})`;
  const byBarcode = passQuery(sql`${eq(passes.id, scanned)} and ${isOfAccount(own)}`, owner);
  const byName = passQuery(
    sql`${eq(passes.id, idNamed(own, placeholder('name'), permitted))} and ${isOfAccount(own)}`,
    owner,
  );

  return (
    db: Db,
    values: Partial<KeyValues> & Record<string, unknown>,
    question: ScanQuestion,
  ): BatchPart<ScanSubject> => {
    const { configurationId, passName, barcode, clientId } = question;
    const { lookup, ...others } = values;
    const scanner = configurationId || lookup || Object.values(others).join();
    const seen = seenAt.get(scanner);
    const name = passName ?? barcode ?? '';
    const passQuery = passName === undefined ? byBarcode : byName;
    return {
      queries: [
        passQuery(db, { ...values, name, text: textBeforeCode(barcode) ?? null, seen: seen?.key ?? '' }),
        ...(configurationId ? [configuration(db, { ...values, configurationId })] : []),
        ...(clientId ? [earlier(db, { ...values, clientId })] : []),
      ],
      read([passes, ...others]) {
        const [row] = passes as PassRow[];
        const [shown] = configurationId ? (others.shift() as AppConfiguration[]) : [];
        const [scan] = clientId ? (others.shift() as AppScan[]) : [];
        const isScanner = !configurationId || shown !== undefined;
        const found = row && definedPass(row, isScanner ? scanner : undefined, seen?.definition);
        return { configuration: shown, found: found && isMeant(found, question) ? found : undefined, earlier: scan };
      },
    };
  };
}

/** Builds the query of a pass with its template, and with its definition unless `seen` names it. */
function passQuery(isMeant: SQL, owner?: typeof ROW_OF_KEY) {
  const version = sql`max(${passes.templateVersion}, ${templates.publishedVersion})`;
  const definition = sql<
    string | null
  >`case when ${passes.templateId} || ':' || ${version} = ${placeholder('seen')} then null
    else (select ${templateVersions.definition} from ${templateVersions}
      where ${templateVersions.templateId} = ${passes.templateId} and ${templateVersions.version} = ${version}) end`;
  return prepareQuery((db) => {
    const query = db
      .select({ ...FOUND_PASS, definition: definition.as('definition') })
      .from(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .$dynamic();
    return ofOwner(query, owner).where(isMeant);
  });
}

/** Joins the row of the key that names the account, if there is one. */
function ofOwner<Q extends SQLiteSelect>(query: Q, owner: typeof ROW_OF_KEY | undefined): Q {
  return owner ? (query.innerJoin(owner.table, owner.isTarget) as unknown as Q) : query;
}

/**
 * Builds the condition for rows visible to a restricted key, by the row of the key or by a placeholder; undefined
 * without either.
 */
function whereRestricted(
  isAmong: (templateIds: SQL | Placeholder) => SQL,
  owner: typeof ROW_OF_KEY | undefined,
  templateIds: Placeholder | undefined,
): SQL | undefined {
  if (owner) return sql`(${owner.templateIds} is null or ${isAmong(owner.templateIds)})`;
  return templateIds && isAmong(templateIds);
}

const isListed = (templateIds: SQL | Placeholder) =>
  sql`+${passes.templateId} in (select value from json_each(${templateIds}))`;

function definedPass(row: PassRow, scanner: string | undefined, seen: StoredDefinition | undefined): DefinedPass {
  const { pass, template } = row;
  const version = shownVersion(row);
  if (row.definition === null) return { pass, template, definition: seen!, version };
  const definition = readDefinition(pass.templateId, version, row.definition);
  if (scanner !== undefined) {
    seenAt.set(scanner, { key: `${pass.templateId}:${version}`, definition }, row.definition.length);
  }
  return { pass, template, definition, version };
}

/**
 * Queries for a caller whose API key is checked in the same round trip (`values`: `KeyValues`). Also for reads of a
 * pass.
 */
export const subjectForKey = subjectQueries(ACCOUNT_OF_KEY, ROW_OF_KEY);
/** Queries for the holder of a link that is opened in the same round trip (`values`: `digest`). */
export const subjectForLink = subjectQueries(ACCOUNT_OF_LINK);
/** Queries for a known account (`values`: `accountId`). */
const subjectForAccount = subjectQueries(placeholder('accountId'));
/** Queries for a known account with a restricted key (`values`: `accountId`, `templateIds`). */
const subjectForRestricted = subjectQueries(placeholder('accountId'), undefined, placeholder('templateIds'));

/** Returns the subject of a scan. One round trip. */
export async function findSubject(ctx: AccountContext, question: ScanQuestion): Promise<ScanSubject> {
  const { id: accountId, templateIds } = ctx.account;
  const { queries, read } = templateIds
    ? subjectForRestricted(ctx.db, { accountId, templateIds: JSON.stringify(templateIds) }, question)
    : subjectForAccount(ctx.db, { accountId }, question);
  return read(await ctx.db.batch(queries as [BatchItem<'sqlite'>]));
}
