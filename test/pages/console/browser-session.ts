import { DIRECTORY } from '../../../src/domain/shard-map.ts';
import { admin, type Client, type Reply, send } from '../../support/api.ts';
import { databaseOf } from '../../support/database-of.ts';

/** A browser's headers for a form of this site. */
export const OWN_FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

/** A user signed in to the console, who sends forms like a browser. */
export interface Visitor {
  email: string;
  cookie: { Cookie: string };
  /** Additional round trips per page if the account isn't in the directory, where the session is. */
  apart: number;
  get(path: string): Promise<Reply>;
  post(path: string, fields?: Record<string, string> | [string, string][]): Promise<Reply>;
}

let people = 0;

/** Creates a member of the account with these privileges, and signs in. */
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

/** Returns the address of an account's section, or of something in it. */
export function consolePath(account: Client, ...parts: string[]): `/${string}` {
  return `/${['console', 'accounts', account.accountId, ...parts].join('/')}`;
}
