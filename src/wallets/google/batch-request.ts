import type { HttpCall } from './call-google.ts';

/*
 * A batch request is a POST with a part for each call, of type `application/http`. Its reply has a part for each reply.
 * Source: Google, "Batching requests" (cloud.google.com/compute/docs/api/how-tos/batch), to which the Google Wallet
 * samples refer.
 */

const EOL = '\r\n';
const callId = (at: number) => `call-${at}`;
const CALL_OF_REPLY = /^<?response-call-(\d+)>?$/;

/** Builds the body of a batch request. Its parts get the authorization of the request. */
export function batchBody(calls: HttpCall[]): { contentType: string; body: string } {
  const boundary = `batch_${crypto.randomUUID()}`;
  const parts = calls.map(({ url, method = 'GET', headers, body = '' }, at) => {
    const { pathname, search } = new URL(url);
    const { authorization: _, ...own } = headers;
    return [
      `--${boundary}`,
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      `Content-ID: <${callId(at)}>`,
      '',
      `${method} ${pathname}${search} HTTP/1.1`,
      ...Object.entries(own).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join(EOL);
  });
  return { contentType: `multipart/mixed; boundary=${boundary}`, body: [...parts, `--${boundary}--`, ''].join(EOL) };
}

/**
 * Reads the reply to a batch of `count` calls: a reply for each call, in their order, or undefined if it has none. A
 * part without `Content-ID` belongs to the call at its place.
 */
export function repliesOf(count: number, contentType: string, text: string): (Response | undefined)[] {
  const replies = new Array<Response | undefined>(count).fill(undefined);
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return replies;
  // Before the first boundary there may be a preamble. The last boundary ends with two hyphens.
  const parts = `\n${text}`.split(`\n--${boundary}`).slice(1);
  for (const [place, part] of parts.entries()) {
    if (part.startsWith('--')) break;
    const [headers, message] = headAndBody(part.slice(part.indexOf('\n') + 1));
    const named = CALL_OF_REPLY.exec(headers.get('content-id') ?? '')?.[1];
    const at = named === undefined ? place : Number(named);
    if (at < count) replies[at] = replyOf(message);
  }
  return replies;
}

/** Reads an HTTP reply; undefined if it isn't one. */
function replyOf(message: string): Response | undefined {
  const status = Number(/^HTTP\/[\d.]{1,3} (\d{3})\b/.exec(message)?.[1]);
  if (!(status >= 200 && status < 600)) return undefined;
  const [headers, body] = headAndBody(message.slice(message.indexOf('\n') + 1 || message.length));
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers });
}

/** Splits headers and body at the first empty line. */
function headAndBody(text: string): [Headers, string] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  const headers = new Headers();
  for (const line of lines.slice(0, end)) {
    const colon = line.indexOf(':');
    if (/^[\w-]{1,100}$/.test(line.slice(0, colon))) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return [
    headers,
    lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  ];
}
