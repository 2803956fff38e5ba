import * as z from 'zod';
import {
  ADDRESS_HINT,
  changeAddress,
  getServiceAddress,
  publicOrigin,
} from '../domain/service-settings/change-address.ts';
import { type AdminCommand, command } from './command.ts';

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
