import { isProofOf, proofOf } from '../../platform/proof.ts';
import { decrypt, encrypt } from '../../platform/sealed-text.ts';
import type { Context } from '../context.ts';
import type { AppConfigurationLink } from './table.ts';

/** Secrets known only to the holder of a link and the account. */
export interface LinkSecrets {
  /** Part of the URL; 128 random bits. */
  token: string;
  /** Unlocks the link once it has expired. */
  pin: string;
}

/** A link with its secrets, for the account that created it. */
export interface LinkFacts extends LinkSecrets {
  link: AppConfigurationLink;
}

/** Encrypts the secrets of the link `id` for its row. */
export function sealSecrets(ctx: Context, id: string, secrets: LinkSecrets): Promise<string> {
  return encrypt(ctx.env, id, JSON.stringify(secrets));
}

/** Returns the link with its decrypted secrets. */
export async function openSecrets(ctx: Context, link: AppConfigurationLink): Promise<LinkFacts> {
  const secrets = JSON.parse(await decrypt(ctx.env, link.id, link.secrets)) as LinkSecrets;
  return { link, ...secrets };
}

/** Returns the path of the scanner for a link. */
export function scanPath(token: string): string {
  return `/scan/${token}`;
}

/** Whether a link requires its PIN at `now` (UTC milliseconds). */
export function isExpired({ validToAt }: Pick<AppConfigurationLink, 'validToAt'>, now: number): boolean {
  return validToAt <= now;
}

/** Hours for which a correct PIN opens an expired link: a shift at the entrance. */
export const LINK_PROOF_HOURS = 12;

const factsOf = ({ id }: Pick<AppConfigurationLink, 'id'>) => ({ purpose: 'scan-link-pin', facts: [id] });

/** Creates a proof, valid for twelve hours, that its holder knew the PIN of the link; see `proofOf`. */
export function proveLink({ env }: Context, link: Pick<AppConfigurationLink, 'id'>, now = Date.now()): string {
  return proofOf(env, factsOf(link), now + LINK_PROOF_HOURS * 60 * 60_000);
}

/** Whether a text is a valid proof for this link. */
export function isLinkProof(
  { env }: Context,
  link: Pick<AppConfigurationLink, 'id'>,
  proof: string | undefined,
  now = Date.now(),
): boolean {
  return isProofOf(env, factsOf(link), proof, now);
}
