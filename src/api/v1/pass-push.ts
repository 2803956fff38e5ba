import { Hono } from 'hono';
import { PUSHED_PASSES_MAX, PushesInput, PushInput, sendPush, sendPushes } from '../../domain/passes/push/send-push.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_IS_BUSY } from '../failures.ts';
import { operationsWith, validate } from '../operation.ts';

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
