import * as z from 'zod';
import { deleteAccount } from '../domain/account-deletion/delete-account.ts';
import { moveAccount } from '../domain/account-moves/move-account.ts';
import { UNLIMITED_RETENTION } from '../domain/accounts/account-settings.ts';
import { createAccount, NewAccount } from '../domain/accounts/create-account.ts';
import { actForAccount, listAccounts } from '../domain/accounts/find-account.ts';
import { updateAccount } from '../domain/accounts/update-account.ts';
import { createApiKey } from '../domain/api-keys/create-api-key.ts';
import { deleteUnusedApiKeys } from '../domain/api-keys/delete-unused-api-keys.ts';
import { KeyAddresses, KeyExpiry, KeyScopes, KeyTemplates } from '../domain/api-keys/key-fields.ts';
import { type ApiKeyFacts, getAccountIdOfApiKey, listApiKeys } from '../domain/api-keys/list-api-keys.ts';
import { deleteApiKey } from '../domain/api-keys/manage-api-key.ts';
import { setApiKeyActive } from '../domain/api-keys/set-api-key-active.ts';
import { importCertificate, SigningCertificateFiles } from '../domain/certificates/import-certificate.ts';
import { GoogleIssuerFiles } from '../domain/certificates/import-google-issuer.ts';
import { listCertificates, listCertificatesOfType } from '../domain/certificates/manage-certificates.ts';
import { describePush, PushOptions, setPushSettings } from '../domain/certificates/push-settings.ts';
import type { AccountContext, Context } from '../domain/context.ts';
import { rotateAllSecrets } from '../domain/encryption/rotate-secrets.ts';
import { invalid } from '../domain/errors.ts';
import { DATE_HINT, EMAIL_HINT } from '../domain/fields.ts';
import { getServiceStatus } from '../domain/monitoring/get-service-status.ts';
import { reindexEverywhere } from '../domain/passes/search-index/maintain-index.ts';
import { removeAllPasskeys } from '../domain/passkeys/list-passkeys.ts';
import { refreshWallets } from '../domain/pushes/refresh-wallets.ts';
import { setQuotas } from '../domain/quotas/set-quotas.ts';
import { rotateSigningKey } from '../domain/signing-keys/rotate-signing-key.ts';
import { resumeAccount, suspendAccount } from '../domain/suspension/suspend-account.ts';
import { createSignInLink } from '../domain/users/create-sign-in-link.ts';
import { getUserId, inviteUser, setOperator } from '../domain/users/invite-user.ts';
import { Privilege } from '../domain/users/privileges.ts';
import { addGoogleIssuer } from '../wallets/google/add-issuer.ts';
import {
  QUOTA_USAGE,
  QuotaOptions,
  quotaSettings,
  quotasView,
  RETENTION_USAGE,
  RetentionOptions,
  retentionSettings,
} from './account-options.ts';
import { BACKUP_COMMANDS } from './backup-commands.ts';
import { type AdminCommand, command, iso, OfAccountOrService } from './command.ts';
import { DEAD_LETTER_COMMANDS } from './dead-letter-commands.ts';
import { DATABASE_COMMANDS, SERVICE_COMMANDS, statusView } from './service-commands.ts';

const OfAccount = z.object({ account: z.string() });
const OfRow = z.object({ id: z.string() });

/** Every command by name. Each calls the domain function that the other surfaces use, too. */
export const ADMIN_COMMANDS: Record<string, AdminCommand> = {
  'account create': command(
    'account create --name N [--timezone T] [--database N]',
    NewAccount.pick({ name: true, timezone: true }).extend({ database: z.string().optional() }),
    async (ctx, { database, ...options }) => {
      const { account, apiKey, apiKeyId } = await createAccount(ctx, options, { database });
      return { accountId: account.id, apiKey, apiKeyId };
    },
  ),
  'account list': command('account list', z.object({}), async (ctx) =>
    (await listAccounts(ctx)).map(({ id, name, timezone, createdAt, isSuspended, database }) => ({
      accountId: id,
      name,
      database,
      timezone,
      suspended: isSuspended,
      createdOn: iso(createdAt),
    })),
  ),
  'account suspend': command('account suspend --id A', OfRow, async (ctx, { id }) => {
    await suspendAccount(ctx, id);
    return { accountId: id, suspended: true };
  }),
  'account resume': command('account resume --id A', OfRow, async (ctx, { id }) => {
    await resumeAccount(ctx, id);
    return { accountId: id, suspended: false };
  }),
  'account delete': command(
    'account delete --id A --confirm N',
    OfRow.extend({ confirm: z.string() }),
    async (ctx, { id, confirm }) => {
      const { startedAt, ...progress } = await deleteAccount(ctx, id, confirm);
      return { ...progress, startedOn: iso(startedAt) };
    },
  ),
  'account move': command('account move --id A --to N', OfRow.extend({ to: z.string() }), (ctx, { id, to }) =>
    moveAccount(ctx, id, to),
  ),
  'account update': command(
    `account update --id A [--user-provided-links on|off] [--require-passkey on|off] [--reply-to E|none] ${QUOTA_USAGE} ${RETENTION_USAGE}`,
    OfRow.extend({
      'user-provided-links': z.enum(['on', 'off']).optional(),
      'require-passkey': z.enum(['on', 'off']).optional(),
      'reply-to': z.union([z.literal('none'), z.email(`${EMAIL_HINT}, or none`)]).optional(),
      ...QuotaOptions.shape,
      ...RetentionOptions.shape,
    }),
    async (ctx, { id, 'user-provided-links': links, 'require-passkey': passkey, 'reply-to': replyTo, ...options }) => {
      const given = {
        ...(links && { userProvidedLinks: links === 'on' }),
        ...(passkey && { requirePasskey: passkey === 'on' }),
        ...(replyTo && { replyTo: replyTo === 'none' ? null : replyTo }),
      };
      const [quotas, days] = [quotaSettings(options), retentionSettings(options)];
      if (Object.keys({ ...given, ...quotas, ...days }).length === 0) {
        throw invalid('user-provided-links, require-passkey, reply-to, a quota or a retention: is required');
      }
      const acting = await actForAccount(ctx, id);
      const retention = { ...UNLIMITED_RETENTION, ...acting.account.retention, ...days };
      const settings = { ...given, ...(Object.keys(days).length > 0 && { retention }) };
      if (Object.keys(settings).length > 0) await updateAccount(acting, settings);
      await setQuotas(acting, quotas);
      return { accountId: id, ...settings, ...(Object.keys(quotas).length > 0 && (await quotasView(acting))) };
    },
  ),
  'api-key create': command(
    'api-key create --account A --name N [--scope S ...] [--template T ...] [--allow-ip C ...] [--expires D]',
    OfAccount.extend({
      name: z.string(),
      scope: KeyScopes.optional(),
      template: KeyTemplates.optional(),
      'allow-ip': KeyAddresses.optional(),
      expires: z.union([z.iso.date(), KeyExpiry.unwrap()], `${DATE_HINT}, or 2026-12-24T09:10:00Z`).optional(),
    }),
    async (ctx, { account, name, scope, template, 'allow-ip': allowedIps, expires }) => {
      const expiry = typeof expires === 'string' ? { lastDay: expires } : { expiresAt: expires };
      const rights = { scopes: scope, templateIds: template, allowedIps, ...expiry };
      return createApiKey(await actForAccount(ctx, account), { name, ...rights });
    },
  ),
  'api-key list': command('api-key list --account A', OfAccount, async (ctx, { account }) =>
    (await listApiKeys(await actForAccount(ctx, account))).map(apiKeyView),
  ),
  'api-key activate': command('api-key activate --id I', OfRow, (ctx, { id }) => switchApiKey(ctx, id, true)),
  'api-key deactivate': command('api-key deactivate --id I', OfRow, (ctx, { id }) => switchApiKey(ctx, id, false)),
  'api-key delete': command('api-key delete --id I', OfRow, async (ctx, { id }) => {
    await deleteApiKey(await actForOwnerOf(ctx, id), id);
    return { deleted: 1 };
  }),
  'api-key delete-unused': command('api-key delete-unused --account A', OfAccount, async (ctx, { account }) => ({
    deleted: await deleteUnusedApiKeys(await actForAccount(ctx, account)),
  })),
  'certificate import': command(
    'certificate import [--account A] (--p12 F | --cert F --key F) [--intermediate F] [--password P] [--development] [--default]',
    SigningCertificateFiles.extend(OfAccountOrService.shape),
    async (ctx, { account, ...files }) => {
      const imported = await importCertificate(...(await ownerOf(ctx, account)), files);
      return { ...imported, validTo: iso(imported.validTo) };
    },
  ),
  'certificate list': command(
    'certificate list [--account A | --pass-type P]',
    OfAccountOrService.extend({ 'pass-type': z.string().optional() }),
    async (ctx, { account, 'pass-type': passTypeId }) => {
      const list =
        passTypeId === undefined
          ? await listCertificates(...(await ownerOf(ctx, account)))
          : await listCertificatesOfType(ctx, passTypeId);
      return list.map(({ id, push, validFrom, validTo, ...facts }) => ({
        certificateId: id,
        ...facts,
        push: describePush(push),
        validFrom: iso(validFrom),
        validTo: iso(validTo),
      }));
    },
  ),
  'certificate push': command(
    'certificate push --id C (--relay-url U --relay-token T | --mtls-binding B | --p8 F --key-id K [--team-id T] | --none)',
    PushOptions.extend(OfRow.shape),
    async (ctx, { id, ...options }) => setPushSettings(ctx, id, options),
  ),
  ...DEAD_LETTER_COMMANDS,
  ...DATABASE_COMMANDS,
  'google-issuer import': command(
    'google-issuer import [--account A] --issuer-id N --service-account F [--development] [--stand-in-url U]',
    GoogleIssuerFiles.extend(OfAccountOrService.shape),
    async (ctx, { account, ...files }) => addGoogleIssuer(...(await ownerOf(ctx, account)), files),
  ),
  'search reindex': command(
    'search reindex [--account A] [--after K]',
    OfAccountOrService.extend({ after: z.coerce.string().optional() }),
    (ctx, { account, after }) => reindexEverywhere(ctx, account, after),
  ),
  'secrets rotate': command(
    'secrets rotate [--after P]',
    z.object({ after: z.string().optional() }),
    (ctx, { after }) => rotateAllSecrets(ctx, after),
  ),
  'signing-key rotate': command('signing-key rotate --account A', OfAccount, async (ctx, { account }) => {
    const { id, publicKeyPem } = await rotateSigningKey(await actForAccount(ctx, account));
    return { keyId: id, publicKey: publicKeyPem };
  }),
  'user invite': command(
    'user invite --account A --email E [--privilege P ...]',
    OfAccount.extend({ email: z.string(), privilege: z.array(Privilege).optional() }),
    async (ctx, { account, email, privilege }) => {
      const member = await inviteUser(await actForAccount(ctx, account), { email, privileges: privilege });
      return { accountId: account, ...member };
    },
  ),
  'user operator': command(
    'user operator --email E (--on | --off)',
    z.object({ email: z.string(), on: z.literal(true).optional(), off: z.literal(true).optional() }),
    async (ctx, { email, on, off }) => {
      if (on === off) throw invalid('on or off: one of them is required');
      return { ...(await setOperator(ctx, email, on === true)), operator: on === true };
    },
  ),
  'user remove-passkeys': command(
    'user remove-passkeys --email E',
    z.object({ email: z.string() }),
    async (ctx, { email }) => ({ removed: await removeAllPasskeys(ctx, await getUserId(ctx, email)) }),
  ),
  'sign-in-link': command('sign-in-link --email E', z.object({ email: z.string() }), async (ctx, { email }) => {
    const { url, expiresAt } = await createSignInLink(ctx, email);
    return { url, expiresAt: iso(expiresAt) };
  }),
  status: command('status', z.object({}), async (ctx) => statusView(await getServiceStatus(ctx))),
  'wallets refresh': command('wallets refresh --account A', OfAccount, async (ctx, { account }) => ({
    fanOuts: await refreshWallets(await actForAccount(ctx, account)),
  })),
  ...SERVICE_COMMANDS,
  ...BACKUP_COMMANDS,
};

function apiKeyView({ id, createdAt, lastUsedAt, expiresAt, active, ...facts }: ApiKeyFacts) {
  const { name, scopes, templateIds, allowedIps, createdBy } = facts;
  return {
    apiKeyId: id,
    ...{ name, scopes, createdBy },
    ...(templateIds && { templateIds }),
    ...(allowedIps && { allowedIps }),
    active: active && (expiresAt === null || expiresAt > Date.now()),
    expiresOn: expiresAt === null ? null : iso(expiresAt),
    createdOn: iso(createdAt),
    lastUsed: lastUsedAt === null ? null : iso(lastUsedAt),
  };
}

async function actForOwnerOf(ctx: Context, apiKeyId: string): Promise<AccountContext> {
  return actForAccount(ctx, await getAccountIdOfApiKey(ctx, apiKeyId));
}

async function switchApiKey(ctx: Context, apiKeyId: string, active: boolean) {
  await setApiKeyActive(await actForOwnerOf(ctx, apiKeyId), apiKeyId, active);
  return { apiKeyId, active };
}

/**
 * Returns a context in the account's database and the account's ID; null stands for the service. Throws `not_found`.
 */
async function ownerOf(ctx: Context, account: string | undefined): Promise<[Context, string | null]> {
  if (account === undefined) return [ctx, null];
  const acting = await actForAccount(ctx, account);
  return [acting, acting.account.id];
}
