import { Problem } from '../scripts/settings.ts';
import { first } from './check-floor.ts';
import { termsOf } from './floor/search-terms.ts';
import type { Call } from './load.ts';
import { type Example, type RequestTemplate, type TextTemplate, templateOf, textTemplate } from './operands.ts';
import type { Recording } from './recording-worker.ts';

/** The measured kinds of requests. */
export type RequestName =
  | 'read_v1'
  | 'read_v3'
  | 'create_async'
  | 'create_sync'
  | 'list_page_1'
  | 'list_page_10000'
  | 'scan_void'
  | 'scan_attendance';

/** What the floor queries for each kind of request. */
export type RequestTemplates = Record<RequestName, RequestTemplate>;

/** What the floor derives from requests to the product. */
export interface Recorded {
  requests: RequestTemplates;
  /** Claims of a save link. */
  claims: TextTemplate;
  /** A row of `passes`. */
  pass: Record<string, unknown>;
  /** A row stored by a create, as JSON. */
  stored: TextTemplate;
}

/** Isolates cache what they have read, so the first requests of a kind make more queries. */
const WARM_UP = 3;

/**
 * Sends requests of each kind to a `recording-worker.ts` on the benchmark's database, and finds which operands are
 * request values, so that the floor can make the same queries for other passes. Throws a `Problem` if it can't tell.
 */
export async function recordRequests(
  origin: string,
  database: D1Database,
  calls: Record<RequestName, () => Call>,
): Promise<Recorded> {
  const requests = {} as RequestTemplates;
  let created: Example | undefined;
  for (const [name, next] of Object.entries(calls) as [RequestName, () => Call][]) {
    for (let i = 0; i < WARM_UP; i++) await recorded(origin, next());
    const examples: Example[] = [];
    for (let i = 0; i < 2; i++) {
      const call = next();
      const recording = await recorded(origin, call);
      examples.push({ recording, values: await valuesOf(database, call, recording) });
    }
    if (name === 'create_sync') created = examples[0];
    requests[name] = templateOf(name, examples[0]!, examples[1]!);
  }
  const { recording, values } = created!;
  const pass = await passOf(database, values.id!);
  const stored = textTemplate(JSON.stringify(pass), values, recording.at);
  return { requests, claims: claimsTemplate(recording, values), pass, stored };
}

async function recorded(origin: string, { method = 'GET', path, headers, body }: Call): Promise<Recording> {
  const reply = await fetch(origin + path, { method, headers, body });
  const text = await reply.text();
  if (!reply.ok) throw new Problem(`${path} was not recorded: ${text}`);
  const recording = JSON.parse(text) as Recording;
  if (recording.status >= 400) throw new Problem(`${path} was answered with ${recording.status}: ${recording.body}`);
  return recording;
}

/** Returns a pass's row. The measured Worker has no dev inbox standing in for Google. */
async function passOf(database: D1Database, id: string): Promise<Record<string, unknown>> {
  return { ...(await first(database, 'select * from passes where id = ?', id)), google_published_at: null };
}

/** Returns the texts of a request, by the floor's names for them. */
async function valuesOf(
  database: D1Database,
  { path, body: sent = '{}' }: Call,
  { body }: Recording,
): Promise<Record<string, string>> {
  const { data, passId } = JSON.parse(body) as { data?: Record<string, string>; passId?: string };
  const { appConfigurationId } = JSON.parse(sent) as Record<string, string>;
  const query = new URLSearchParams(path.split('?')[1]);
  if (sent === '{}') return { id: query.get('lastIdOfPriorPage') ?? path.split('/').at(-1)! };
  const id = passId ?? data!.identifier!;
  const row = await passOf(database, id);
  const pass = {
    id,
    userProvidedId: String(row.user_provided_id),
    generatedId: String(row.generated_id),
    foldedId: String(row.generated_id).toLowerCase(),
    terms: termsOf({ ...row, voided: row.voided === 1, redeemed: row.redeemed === 1 }),
  };
  if (appConfigurationId) return pass;
  return {
    ...pass,
    ...tokensIn(data!),
    pageToken: String(row.page_token),
    fileToken: String(row.file_token),
    secrets: String(row.secrets),
  };
}

/** Returns the values that a create's reply contains, but no column. */
function tokensIn({ downloadPage, passFileUri, walletSaveUri }: Record<string, string>): Record<string, string> {
  const [, rawFile] = /\/([\w-]+)\.pkpass$/.exec(passFileUri!)!;
  return { rawPage: downloadPage!.split('/').at(-1)!, rawFile: rawFile!, saveLink: walletSaveUri! };
}

/** Derives the claims of a create's save link, so that the floor signs the same. */
function claimsTemplate({ body, at }: Recording, { id, userProvidedId, generatedId }: Record<string, string>) {
  const { walletSaveUri } = (JSON.parse(body) as { data: { walletSaveUri: string } }).data;
  const claims = Buffer.from(walletSaveUri.split('.').at(-2)!, 'base64url').toString();
  const { iat } = JSON.parse(claims) as { iat: number };
  const own = { id: id!, userProvidedId: userProvidedId!, generatedId: generatedId! };
  return textTemplate(claims, { ...own, iat: String(iat) }, at);
}
