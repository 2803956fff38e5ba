import { Hono } from 'hono';
import * as z from 'zod';
import { deliverPass } from '../../domain/passes/deliver-pass.ts';
import { sendMessages } from '../../wallets/messages/send-message.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_ID_EXAMPLE } from '../examples.ts';
import { operation } from '../operation.ts';
import { text } from '../view-fields.ts';

const DeliveredView = z.object({ messageId: text(PASS_ID_EXAMPLE) });

/** Sends a pass by e-mail; mounted at `/pass/deliver`. */
export const passDeliverRoute = new Hono<ApiEnv>().post(
  '/:id/email/:recipientMail',
  operation({
    id: 'deliverPass',
    summary: 'Send a pass by e-mail',
    description:
      'Uses the ad hoc e-mail template of the pass template. `messageId` names the message in the events ' +
      '`message_sent` and `message_failed`.',
    tag: 'Passes',
    scope: 'messages:send',
    replies: { 200: { description: 'Sent to the mail service', schema: DeliveredView } },
  }),
  async (c) => {
    const { ctx } = c.var;
    const message = await deliverPass(ctx, c.req.param('id'), c.req.param('recipientMail'));
    await sendMessages(ctx, [message]);
    return c.json({ messageId: message.id });
  },
);
