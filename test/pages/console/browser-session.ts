import { DIRECTORY } from '../../../src/domain/shard-map.ts';
import { admin, type Client, type Reply, send } from '../../support/api.ts';
import { databaseOf } from '../../support/database-of.ts';

/** What a browser says of a form of this site. */
export const OWN_FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

/** Somebody who is signed in to the console, and sends forms as a browser does. */
export interface Visitor {
  email: string;
  cookie: { Cookie: string };
  /** Round trips of each page where the account lives apart from the session, which is in the directory. */
  apart: number;
  get(path: string): Promise<Reply>;
  post(path: string, fields?: Record<string, string> | [string, string][]): Promise<Reply>;
}

let people = 0;

/** A member of the account with these privileges, signed in. */
export async function visitor(account: Client, privilege: string[]): Promise<Visitor> {
  people += 1;
  const email = `visitor-${people}-${account.accountId}@example.com`;
  await admin('user invite', { account: account.accountId, email, privilege });
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  const token = new URL(url).searchParams.get('token');
  const signedIn = await send('POST', '/console/sign-in', `token=${token}`, OWN_FORM);
  const cookie = { Cookie: signedIn.headers.getSetCookie()[0]!.split(';')[0]! };
  return {
    email,
    cookie,
    apart: databaseOf(account) === DIRECTORY ? 0 : 1,
    get: (path) => send('GET', path as `/${string}`, undefined, cookie),
    post: (path, fields = {}) =>
      send('POST', path as `/${string}`, new URLSearchParams(fields).toString(), { ...OWN_FORM, ...cookie }),
  };
}

/** Address of a section of the account, or of what stands in it. */
export function consolePath(account: Client, ...parts: string[]): `/${string}` {
  return `/${['console', 'accounts', account.accountId, ...parts].join('/')}`;
}
