import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { sha256 } from '../../platform/crypto.ts';
import { accounts } from '../accounts/table.ts';
import { chooseCertificate, signingCertificateQuery } from '../certificates/find-signing-certificate.ts';
import { type AccountContext, actingFor, type Context } from '../context.ts';
import { byIdentifier, findInShard } from '../databases/follow-moves.ts';
import { DomainError } from '../errors.ts';
import { DEFINED_PASS, type DefinedPass, toDefinedPass } from '../passes/find-pass.ts';
import { isAuthentication } from '../passes/page/links.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { type Registration, registrations } from './table.ts';

/** A device's library of one pass type. */
export interface DeviceLibrary {
  deviceId: string;
  passTypeId: string;
}

const LABEL_CHARS = 8;

/** Returns a label of a device: always the same, and useless to open its library. */
export async function deviceLabel({ deviceId, passTypeId }: DeviceLibrary): Promise<string> {
  return (await sha256(`${passTypeId} ${deviceId}`)).slice(0, LABEL_CHARS);
}

/** One pass in the library of a device. */
export interface DevicePass extends DeviceLibrary {
  passId: string;
}

/** The pass of a device's request, with the data to decide about its registration. */
export interface FoundDevicePass {
  /** Acts for the account of the pass. */
  ctx: AccountContext;
  found: DefinedPass;
  /** Pass type of the certificate that currently signs the pass. */
  signedAs?: string;
  /** The device's row, even if the registration has ended. */
  registration?: Registration;
}

/**
 * Returns the pass of a device's request; undefined if there is none, or it was deleted. One round trip. Throws
 * `unauthorized` if `token` isn't the pass's `authenticationToken`.
 */
export function findDevicePass(ctx: Context, device: DevicePass, token: string): Promise<FoundDevicePass | undefined> {
  return findInShard(ctx, byIdentifier(device.passId), (home) => findIn(home, device, token));
}

async function findIn(ctx: Context, device: DevicePass, token: string): Promise<FoundDevicePass | undefined> {
  const { db } = ctx;
  const accountId = sql`(select ${passes.accountId} from ${passes} where ${eq(passes.id, device.passId)})`;
  const [[row], [account], certificates, [registration]] = await db.batch([
    db
      .select(DEFINED_PASS)
      .from(passes)
      .innerJoin(templates, eq(templates.id, passes.templateId))
      .where(eq(passes.id, device.passId)),
    db.select().from(accounts).where(eq(accounts.id, accountId)),
    signingCertificateQuery(db, accountId),
    db.select().from(registrations).where(isOfDevice(device)),
  ]);
  if (!row || !account) return undefined;
  if (!isAuthentication(ctx.env, row.pass, token)) {
    throw new DomainError('unauthorized', 'The authentication token does not belong to the pass');
  }
  const found = toDefinedPass(row);
  const signedAs = chooseCertificate(certificates, found.definition.passTypeId)?.passTypeId;
  return { ctx: actingFor(ctx, account), found, signedAs, registration };
}

/** Builds the condition for the library of a device. */
export function isInLibrary({ deviceId, passTypeId }: DeviceLibrary): SQL | undefined {
  return and(eq(registrations.deviceId, deviceId), eq(registrations.passTypeId, passTypeId));
}

/** Builds the condition for the row of a device and a pass, in the account if one is given. */
export function isOfDevice(device: DevicePass, accountId?: string): SQL | undefined {
  const isOfAccount = accountId === undefined ? undefined : eq(registrations.accountId, accountId);
  return and(isInLibrary(device), eq(registrations.passId, device.passId), isOfAccount);
}

/** Builds the condition that the device is registered for the pass, with `pushToken` if given. */
export function isRegistered(ctx: AccountContext, device: DevicePass, pushToken?: string): SQL {
  const hasToken = pushToken === undefined ? undefined : eq(registrations.pushToken, pushToken);
  return sql`exists (select 1 from ${registrations} where ${and(isOfDevice(device, ctx.account.id), isNull(registrations.endedAt), hasToken)})`;
}
