import { decrypt, encrypt } from '../../platform/sealed-text.ts';
import type { Context } from '../context.ts';
import type { AppConfigurationLink } from './table.ts';

/** What only the holder of a link and the account know. */
export interface LinkSecrets {
  /** Stands in the address; 128 random bits. */
  token: string;
  /** Unlocks the link once it has expired. */
  pin: string;
}

/** A link with its secrets, for the account that made it. */
export interface LinkFacts extends LinkSecrets {
  link: AppConfigurationLink;
}

/** Encrypts the secrets of the link `id` for its row. */
export function sealSecrets(ctx: Context, id: string, secrets: LinkSecrets): Promise<string> {
  return encrypt(ctx.env, id, JSON.stringify(secrets));
}

/** The link with its secrets. */
export async function openSecrets(ctx: Context, link: AppConfigurationLink): Promise<LinkFacts> {
  const secrets = JSON.parse(await decrypt(ctx.env, link.id, link.secrets)) as LinkSecrets;
  return { link, ...secrets };
}

/** Path of the validation web app at a link. */
export function scanPath(token: string): string {
  return `/scan/${token}`;
}

/** Whether a link asks for its PIN at `now` (UTC milliseconds). */
export function isExpired({ validToAt }: Pick<AppConfigurationLink, 'validToAt'>, now: number): boolean {
  return validToAt <= now;
}
