import * as z from 'zod';
import { copyServiceKeys } from '../domain/certificates/copy-service-keys.ts';
import { DATABASE_BYTES_MAX, listDatabases } from '../domain/databases/list-databases.ts';
import { closeForAccounts, openForAccounts } from '../domain/databases/open-database.ts';
import {
  ADDRESS_HINT,
  changeAddress,
  getServiceAddress,
  publicOrigin,
} from '../domain/service-settings/change-address.ts';
import { type AdminCommand, command } from './command.ts';

const Named = z.object({ name: z.string() });

/** The databases of the service: docs/operations.md#databases. */
export const DATABASE_COMMANDS: Record<string, AdminCommand> = {
  'database list': command('database list', z.object({}), async (ctx) =>
    (await listDatabases(ctx)).map(({ name, isOpen, bytes, accounts, passes }) => ({
      name,
      bytes,
      limitBytes: DATABASE_BYTES_MAX,
      accounts,
      passes,
      openForNewAccounts: isOpen,
    })),
  ),
  'database open': command('database open --name N', Named, async (ctx, { name }) => {
    await openForAccounts(ctx, name, copyServiceKeys);
    return { name, openForNewAccounts: true };
  }),
  'database close': command('database close --name N', Named, async (ctx, { name }) => {
    await closeForAccounts(ctx, name);
    return { name, openForNewAccounts: false };
  }),
};

const NewAddress = z.object({
  'base-url': z.string().refine((text) => publicOrigin(text) !== undefined, ADDRESS_HINT),
});

/** Settings of the whole service: docs/operations.md#change-the-address. */
export const SERVICE_COMMANDS: Record<string, AdminCommand> = {
  'service show': command('service show', z.object({}), (ctx) => getServiceAddress(ctx)),
  'service update': command('service update --base-url U', NewAddress, async (ctx, { 'base-url': baseUrl }) => {
    await changeAddress(ctx, { baseUrl });
    return getServiceAddress(ctx);
  }),
};
