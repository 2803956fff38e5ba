import { randomBytes } from 'node:crypto';
import { Problem } from '../scripts/settings.ts';
import { passWithIssuersAhead } from '../src/api/pass-ahead.ts';
import { authenticate, type KeyInCheck } from '../src/domain/api-keys/authenticate.ts';
import { createScan } from '../src/domain/app-scans/create-scan.ts';
import { findSubject, subjectForKey } from '../src/domain/app-scans/find-subject.ts';
import type { AccountContext, Context } from '../src/domain/context.ts';
import { createPass } from '../src/domain/passes/create-pass.ts';
import { listPasses } from '../src/domain/search/list-passes.ts';
import { openDatabase } from '../src/platform/db.ts';
import type { Env } from '../src/platform/env.ts';
import { crowdCode, crowdId, type Seed } from './seed.ts';
import { passFields } from './template.ts';

/** Texts of the product's statements on each measured path, in the order in which it sends them. */
export interface Statements {
  read: [caller: string, pass: string, issuers: string];
  page: [title: string, rows: string];
  pageAfter: [title: string, rows: string];
  create: [
    template: string,
    issuers: string,
    pass: string,
    count: string,
    quota: string,
    uniqueValues: string,
    document: string,
    terms: string,
    event: string,
  ];
  scanRead: [caller: string, pass: string, configuration: string];
  scanNote: [scan: string, event: string, count: string, usage: string];
  scanVoid: [
    scan: string,
    event: string,
    count: string,
    voidEvent: string,
    document: string,
    terms: string,
    push: string,
    facts: string,
    pass: string,
    usage: string,
  ];
}

const COUNTS: Record<keyof Statements, number> = {
  read: 3,
  page: 2,
  pageAfter: 2,
  create: 9,
  scanRead: 3,
  scanNote: 4,
  scanVoid: 10,
};

/**
 * Runs the product's own functions here, on the database of the benchmark, and writes down what they ask, so that the
 * floor asks the same. Throws a `Problem` when a path has another number of statements than the floor knows.
 */
export async function recordStatements(
  database: D1Database,
  { apiKey, templateId, scanners }: Pick<Seed, 'apiKey' | 'templateId' | 'scanners'>,
): Promise<Statements> {
  const texts: string[] = [];
  const binding = recording(database, texts);
  const { db, meter } = openDatabase(binding);
  // What it encrypts for its own pass nobody opens.
  const env = { DB: binding, BASE_URL: '', ENCRYPTION_KEY: randomBytes(32).toString('base64') } as Env;
  const context: Context = { env, db, meter, baseUrl: '', requestId: 'bench', waitUntil: () => {} };
  const caller = await authenticate(context, apiKey);
  if (!caller) throw new Problem('The key of the benchmark is not accepted.');
  const ctx: AccountContext = { ...context, account: caller.account };
  const record = async (name: keyof Statements, work: () => PromiseLike<unknown>) => {
    texts.length = 0;
    await work();
    if (texts.length !== COUNTS[name]) {
      throw new Problem(`The floor knows ${COUNTS[name]} statements of "${name}", the product has ${texts.length}.`);
    }
    return [name, [...texts]] as const;
  };
  const page = { templateId, start: 0, pageSize: 1 };
  // Isolates keep the definitions that they have read.
  await listPasses(ctx, page);
  const scanned = { configurationId: scanners.noting, barcode: crowdCode(2) };
  // What a scan is about is read before its statements are recorded: on the API another statement brings it along.
  const subject = async (configurationId: string) =>
    [{ ...scanned, configurationId }, await findSubject(ctx, ctx.account.id, { ...scanned, configurationId })] as const;
  const [noting, voiding] = [await subject(scanners.noting), await subject(scanners.voiding)];
  const scan = ({ db, lookup }: KeyInCheck) => subjectForKey(db, { lookup }, scanned);
  // And of templates that they have created passes of.
  await createPass(ctx, templateId, passFields(999_999_998), { wait: true });
  return Object.fromEntries([
    await record('read', () => authenticate(context, apiKey, (key) => passWithIssuersAhead(key, crowdId(1)))),
    await record('page', () => listPasses(ctx, page)),
    await record('pageAfter', () => listPasses(ctx, { ...page, afterId: crowdId(1) })),
    await record('scanRead', () => authenticate(context, apiKey, scan)),
    await record('scanNote', () => createScan(ctx, ...noting)),
    await record('scanVoid', () => createScan(ctx, ...voiding)),
    await record('create', () => createPass(ctx, templateId, passFields(999_999_999), { wait: true })),
  ]) as Record<string, readonly string[]> & Statements;
}

/** The database, with the text of each statement that is prepared put into `texts`. */
function recording(database: D1Database, texts: string[]): D1Database {
  const withSession = (bookmark?: string) => {
    const session = database.withSession(bookmark);
    return {
      prepare(sql: string) {
        texts.push(sql);
        return session.prepare(sql);
      },
      batch: (statements: D1PreparedStatement[]) => session.batch(statements),
      getBookmark: () => session.getBookmark(),
    };
  };
  // `openDatabase` calls no more of it than this.
  return { withSession } as unknown as D1Database;
}
