import * as z from 'zod';
import { changeAddress, getServiceAddress } from '../domain/service-settings/change-address.ts';
import { type AdminCommand, command } from './command.ts';

/** Settings of the whole service: docs/operations.md#change-the-address. */
export const SERVICE_COMMANDS: Record<string, AdminCommand> = {
  'service show': command('service show', z.object({}), (ctx) => getServiceAddress(ctx)),
  'service update': command('service update --base-url U', z.object({ 'base-url': z.string() }), async (ctx, given) => {
    await changeAddress(ctx, { baseUrl: given['base-url'] });
    return getServiceAddress(ctx);
  }),
};
