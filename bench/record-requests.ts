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

/** What the floor asks of D1 for each kind of request. */
export type RequestTemplates = Record<RequestName, RequestTemplate>;

/** What the floor learns from requests to the product. */
export interface Recorded {
  requests: RequestTemplates;
  /** Claims of a save link. */
  claims: TextTemplate;
  /** A row of `passes`. */
  pass: Record<string, unknown>;
  /** A row that a create has stored, as JSON. */
  stored: TextTemplate;
}

/** Isolates keep what they have read: the first requests of a kind ask more. */
const WARM_UP = 3;

/**
 * Sends requests of each kind to a `recording-worker.ts` on the database of the benchmark, and finds out which operands
 * are values of the request, so that the floor asks the same of other passes. Throws a `Problem` when it cannot tell.
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

/** The row of a pass. What is measured has no dev inbox that stands for Google. */
async function passOf(database: D1Database, id: string): Promise<Record<string, unknown>> {
  return { ...(await first(database, 'select * from passes where id = ?', id)), google_published_at: null };
}

/** The texts that belong to a request, by the names that the floor knows them by. */
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

/** What the reply to a create shows and no column has. */
function tokensIn({ downloadPage, passFileUri, walletSaveUri }: Record<string, string>): Record<string, string> {
  const [, rawFile] = /\/([\w-]+)\.pkpass$/.exec(passFileUri!)!;
  return { rawPage: downloadPage!.split('/').at(-1)!, rawFile: rawFile!, saveLink: walletSaveUri! };
}

/** What the save link of a create says, so that the floor signs what the product signs. */
function claimsTemplate({ body, at }: Recording, { id, userProvidedId, generatedId }: Record<string, string>) {
  const { walletSaveUri } = (JSON.parse(body) as { data: { walletSaveUri: string } }).data;
  const claims = Buffer.from(walletSaveUri.split('.').at(-2)!, 'base64url').toString();
  const { iat } = JSON.parse(claims) as { iat: number };
  const own = { id: id!, userProvidedId: userProvidedId!, generatedId: generatedId! };
  return textTemplate(claims, { ...own, iat: String(iat) }, at);
}
