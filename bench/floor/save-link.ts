import type { TextTemplate, Values } from '../operands.ts';
import type { Env } from './common.ts';
import { filled } from './fill.ts';

let key: CryptoKey | undefined;
let claims: TextTemplate | undefined;

const HEADER = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString('base64url');

/** Returns a pass's signed save link. */
export async function saveLink(env: Env, values: Values): Promise<string> {
  key ??= await importKey(env.FLOOR_KEY_PEM);
  claims ??= JSON.parse(env.FLOOR_CLAIMS) as TextTemplate;
  const signed = `${HEADER}.${Buffer.from(filled(claims, values)).toString('base64url')}`;
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, Buffer.from(signed));
  return `https://pay.google.com/gp/v/save/${signed}.${Buffer.from(signature).toString('base64url')}`;
}

function importKey(pem: string): Promise<CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  return crypto.subtle.importKey('pkcs8', bytes, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);
}
