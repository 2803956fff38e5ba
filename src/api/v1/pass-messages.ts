import { Hono } from 'hono';
import * as z from 'zod';
import { deliverPass } from '../../domain/passes/deliver-pass.ts';
import { PUSHED_PASSES_MAX, PushesInput, PushInput, sendPush, sendPushes } from '../../domain/passes/push/send-push.ts';
import { sendMessages } from '../../wallets/messages/send-message.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_ID_EXAMPLE } from '../examples.ts';
import { PASS_IS_BUSY } from '../failures.ts';
import { operationsWith, validate } from '../operation.ts';
import { text } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Passes', scope: 'messages:send' });

/** Push routes of passes. Mounted before the pass routes that take any name. */
export const passPushRoutes = new Hono<ApiEnv>()
  .post(
    '/sendpushnotifications',
    operation({
      id: 'sendPushNotifications',
      summary: 'Send a push notification to many passes',
      description:
        `Up to ${PUSHED_PASSES_MAX} passes, each by identifier, userProvidedId, barcode value or generatedId. ` +
        'Sent in the background. Unknown names and inactive passes are skipped. Placeholders are filled for each ' +
        'pass.',
      example: {
        listOfPasses: ['member-1', 'member-2'],
        pushNotificationText: 'Hello {Full name}, the gates are open',
      },
      replies: { 202: { description: 'Accepted' } },
    }),
    validate('json', PushesInput),
    async (c) => {
      await sendPushes(c.var.ctx, c.req.valid('json'));
      return c.body(null, 202);
    },
  )
  .post(
    '/:id/sendpushnotification',
    operation({
      id: 'sendPushNotification',
      summary: 'Send a push notification to a pass',
      description:
        'The text can contain placeholders. Devices show at least one line of 85 characters. The pass must be on at least one device.',
      example: { pushNotificationText: 'Your gate is {originAirportGate}' },
      replies: {
        204: { description: 'Sent' },
        304: { description: 'The last text sent to this pass was the same; nothing is sent' },
      },
      conflict: PASS_IS_BUSY,
    }),
    validate('json', PushInput),
    async (c) => {
      const outcome = await sendPush(c.var.ctx, c.req.param('id'), c.req.valid('json'));
      return c.body(null, outcome === 'same' ? 304 : 204);
    },
  );

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
    replies: { 200: { description: 'Sent to the mail service', schema: DeliveredView } },
  }),
  async (c) => {
    const { ctx } = c.var;
    const message = await deliverPass(ctx, c.req.param('id'), c.req.param('recipientMail'));
    await sendMessages(ctx, [message]);
    return c.json({ messageId: message.id });
  },
);
