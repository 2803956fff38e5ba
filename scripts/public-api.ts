import { Problem } from './settings.ts';

interface Envelope<T> {
  success: boolean;
  errors: string[];
  data: T;
}

/**
 * Posts to version 2 or 3 of the public API and returns `data` of the envelope. Throws a `Problem` that says what was
 * refused.
 */
export async function postApi<T>(
  origin: string,
  apiKey: string,
  path: string,
  body: object,
  idempotencyKey?: string,
): Promise<T> {
  const { ok, status, text } = await post(origin, apiKey, path, body, idempotencyKey);
  const envelope = parse<Envelope<T>>(text);
  if (!ok || !envelope?.success) throw refused(path, status, envelope?.errors?.join('; ') ?? text);
  return envelope.data;
}

/** Posts to version 1, whose replies have no envelope. Throws a `Problem` that says what was refused. */
export async function postV1<T>(
  origin: string,
  apiKey: string,
  path: string,
  body: object,
  idempotencyKey?: string,
): Promise<T> {
  const { ok, status, text } = await post(origin, apiKey, path, body, idempotencyKey);
  if (!ok) throw refused(path, status, parse<{ ErrorMessage?: string }>(text)?.ErrorMessage ?? text);
  return JSON.parse(text) as T;
}

/** Identifiers of the account's templates. */
export async function listTemplates(origin: string, apiKey: string): Promise<string[]> {
  const templates = await get<{ identifier: string }[]>(origin, apiKey, '/api/pass-template');
  return templates.map(({ identifier }) => identifier);
}

/** The definition of a template, with its images as addresses. */
export async function describeTemplate(origin: string, apiKey: string, identifier: string): Promise<object> {
  return (await get<Envelope<object>>(origin, apiKey, `/api/v2/pass-template/${identifier}/describe`)).data;
}

async function get<T>(origin: string, apiKey: string, path: string): Promise<T> {
  const reply = await fetch(origin + path, { headers: { Authorization: apiKey } });
  if (!reply.ok) throw new Problem(`GET ${path} was answered with ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as T;
}

async function post(origin: string, apiKey: string, path: string, body: object, idempotencyKey?: string) {
  const reply = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      Authorization: apiKey,
      'Content-Type': 'application/json',
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  return { ok: reply.ok, status: reply.status, text: await reply.text() };
}

function refused(path: string, status: number, reason: string): Problem {
  return new Problem(`POST ${path} was answered with ${status}: ${reason}`);
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
