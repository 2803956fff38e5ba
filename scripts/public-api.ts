import { Problem } from './settings.ts';

interface Envelope<T> {
  success: boolean;
  errors: string[];
  data: T;
}

/** Posts to version 2 or 3 of the public API and returns `data` of the envelope. Throws a `Problem` that says what was refused. */
export async function postApi<T>(
  origin: string,
  apiKey: string,
  path: string,
  body: object,
  idempotencyKey?: string,
): Promise<T> {
  const reply = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      Authorization: apiKey,
      'Content-Type': 'application/json',
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  const envelope = parseEnvelope<T>(text);
  if (!reply.ok || !envelope?.success) {
    throw new Problem(`POST ${path} was answered with ${reply.status}: ${envelope?.errors?.join('; ') ?? text}`);
  }
  return envelope.data;
}

function parseEnvelope<T>(text: string): Envelope<T> | undefined {
  try {
    return JSON.parse(text) as Envelope<T>;
  } catch {
    return undefined;
  }
}
