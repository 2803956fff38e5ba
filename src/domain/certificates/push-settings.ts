import { and, eq, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { Env } from '../../platform/env.ts';
import { shardOf } from '../../platform/ids.ts';
import { Lru } from '../../platform/lru.ts';
import { areLocalTargetsAllowed, checkOutboundUrl } from '../../platform/outbound.ts';
import { decrypt, encrypt } from '../../platform/sealed-text.ts';
import { ofOwner, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import { type Context, refuseElsewhere } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { invalid, invalidField, notFound } from '../errors.ts';
import { shareServiceKeys } from './copy-service-keys.ts';
import { isP256, readPrivateKey, toPkcs8 } from './signing-material.ts';
import { type Certificate, certificates, type PushSettings } from './table.ts';

const APPLE_ID_PATTERN = /^[A-Z0-9]{10}$/;
const AppleId = z.string().regex(APPLE_ID_PATTERN, 'must be ten capital letters and digits such as A1B2C3D4E5');

/** A short token could be guessed. A header carries it, so it has no spaces. */
const RelayToken = z.string().regex(/^[\x21-\x7e]{20,500}$/, 'must be 20 to 500 visible ASCII characters');

/** Push settings in plain text; names are the options of the administration command. */
export const PushOptions = z.object({
  /** Binding of `mtls_certificates` in wrangler.toml. */
  'mtls-binding': z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the name of a binding, such as APNS_TICKETS')
    .optional(),
  /** Content of the `.p8` file. */
  p8: z.string().min(1, 'must not be empty').optional(),
  'key-id': AppleId.optional(),
  /** Default: the certificate's team. */
  'team-id': AppleId.optional(),
  'relay-url': z.string().optional(),
  'relay-token': RelayToken.optional(),
  none: z.boolean().optional(),
});
export type PushOptions = z.input<typeof PushOptions>;

type PushOwner = Pick<Certificate, 'accountId' | 'passTypeId'>;

/** An operator's view of push settings. */
export interface PushFacts {
  certificateId: string;
  passTypeId: string;
  /** One phrase without secrets; null: pushes can't be sent. */
  push: string | null;
}

/**
 * Sets how pushes for a certificate's pass type reach Apple, for all certificates of its owner and type, because the
 * settings outlive each one. `ownerId` is the calling account; the operator may name any certificate. Throws `invalid`
 * with the option, and not found.
 */
export async function setPushSettings(
  ctx: Context,
  certificateId: string,
  input: PushOptions,
  ownerId?: string,
): Promise<PushFacts> {
  const options = checked(PushOptions, input);
  const isOwn = ownerId === undefined ? undefined : eq(certificates.accountId, ownerId);
  const found = await findInShard(ctx, { shard: shardOf(certificateId) }, async (home) => {
    const [certificate] = await home.db
      .select()
      .from(certificates)
      .where(and(eq(certificates.id, certificateId), isOwn));
    if (certificate?.accountId) refuseElsewhere(home, certificate.accountId);
    return certificate && { home, certificate };
  });
  if (!found) throw notFound();
  const { home, certificate } = found;
  const push = await settingsOf(home, certificate, options);
  const { accountId, passTypeId } = certificate;
  const target = { type: 'certificate', id: certificateId, name: passTypeId };
  const changes = [{ field: 'push', old: describePush(certificate.push), new: describePush(push) }];
  await home.db.batch([
    home.db
      .update(certificates)
      .set({ push })
      .where(sql`${certificates.accountId} is ${accountId} and ${certificates.passTypeId} = ${passTypeId}`),
    ...(accountId === null
      ? []
      : [recordAction(ofOwner(home, accountId), { action: 'certificate.push', target, changes })]),
  ]);
  if (accountId === null) await shareServiceKeys(ctx);
  return { certificateId, passTypeId, push: describePush(push) };
}

/** Returns the `.p8` key as PKCS#8 PEM, or the relay's token. Throws if the key that encrypted it isn't configured. */
export async function openPushSecret(env: Env, owner: PushOwner, sealed: string): Promise<string> {
  const name = `${pushOwner(owner)} ${sealed}`;
  const known = opened.get(name);
  if (known) return known;
  const secret = await decrypt(env, pushOwner(owner), sealed);
  opened.set(name, secret);
  return secret;
}

/** Describes settings in one phrase, without secrets. */
export function describePush(push: PushSettings | null): string | null {
  switch (push?.kind) {
    case 'mtls':
      return `mTLS binding ${push.binding}`;
    case 'token':
      return `key ${push.keyId} of team ${push.teamId}`;
    case 'relay':
      return `relay ${push.url}`;
    default:
      return null;
  }
}

const SECRETS_CACHED_MAX = 200;
/** Secrets by owner and ciphertext: settings change, but a ciphertext always stands for the same text. */
const opened = new Lru<string>(SECRETS_CACHED_MAX);

/**
 * Returns the owner of encrypted settings. It isn't the row, because the renewed certificate takes over the settings.
 */
function pushOwner({ accountId, passTypeId }: PushOwner): string {
  return `push:${accountId ?? ''}:${passTypeId}`;
}

/** The same as SQL. */
export const PUSH_OWNER = sql`'push:' || coalesce(${certificates.accountId}, '') || ':' || ${certificates.passTypeId}`;

const WAYS = ['mtls-binding', 'p8', 'relay-url', 'none'] as const;
const COMPANIONS = { 'key-id': 'p8', 'team-id': 'p8', 'relay-token': 'relay-url' } as const;

async function settingsOf(
  ctx: Context,
  certificate: Certificate,
  options: z.output<typeof PushOptions>,
): Promise<PushSettings | null> {
  const ways = WAYS.filter((way) => options[way] !== undefined && options[way] !== false);
  if (ways.length !== 1) throw invalid('Use exactly one of --relay-url, --mtls-binding, --p8 and --none');
  for (const [companion, way] of Object.entries(COMPANIONS)) {
    if (companion in options && ways[0] !== way) throw invalidField(companion, `can be used only with ${way}`);
  }
  const seal = (secret: string) => encrypt(ctx.env, pushOwner(certificate), secret);
  if (options['mtls-binding']) return { kind: 'mtls', binding: options['mtls-binding'] };
  if (options.p8) {
    const { 'key-id': keyId, 'team-id': teamId = certificate.teamId } = options;
    if (!keyId) throw invalidField('key-id', 'is required');
    const key = readPrivateKey('p8', options.p8);
    if (!isP256(key)) throw invalidField('p8', 'must be a key on the elliptic curve P-256');
    return { kind: 'token', keyId, teamId, keySealed: await seal(toPkcs8(key)) };
  }
  if (options['relay-url'] !== undefined) {
    const { 'relay-url': url, 'relay-token': token } = options;
    const problem = checkOutboundUrl(url, { allowLocal: areLocalTargetsAllowed(ctx.env) });
    if (problem) throw invalidField('relay-url', `${problem.message}`);
    if (!token) throw invalidField('relay-token', 'is required');
    return { kind: 'relay', url, tokenSealed: await seal(token) };
  }
  return null;
}
