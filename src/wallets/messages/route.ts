import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { Context } from '../../domain/context.ts';
import { DomainError, fieldIssue, notFound } from '../../domain/errors.ts';
import { recordProviderStatus } from '../../domain/messages/record-provider-status.ts';
import { statusPath, twilioSettings } from '../../domain/messages/send-through-provider.ts';
import { attempt, callerNetwork } from '../../domain/rate-limits.ts';
import type { Env } from '../../platform/env.ts';
import { isSignedByTwilio, TWILIO_STATUSES } from '../../platform/twilio.ts';

const FORM_BYTES_MAX = 64 * 1024;

/**
 * Receives status reports of text messages from Twilio. Requires Twilio's signature; a status without news changes
 * nothing.
 */
export const messageRoutes = new Hono<{ Bindings: Env; Variables: { baseContext: Context; route: string } }>().post(
  '/messages/:id/status',
  bodyLimit({
    maxSize: FORM_BYTES_MAX,
    onError: () => {
      throw new DomainError('too_large', 'The body is too large');
    },
  }),
  async (c) => {
    c.set('route', routePath(c));
    const ctx = c.var.baseContext;
    const settings = twilioSettings(c.env);
    if (!settings) throw notFound();
    const id = c.req.param('id');
    const form = new URLSearchParams(await c.req.text());
    const signature = c.req.header('X-Twilio-Signature') ?? '';
    await attempt(c.env, 'twilio', callerNetwork(c.req.raw, c.env), async () => {
      if (!isSignedByTwilio(settings.authToken, signature, ctx.baseUrl + statusPath(id), form)) {
        throw new DomainError('forbidden', fieldIssue('X-Twilio-Signature', 'does not match'));
      }
    });
    const status = TWILIO_STATUSES[form.get('MessageStatus') ?? ''];
    const errorCode = form.get('ErrorCode');
    const details =
      status === 'failed' ? `Twilio: ${form.get('MessageStatus')}${errorCode ? ` (${errorCode})` : ''}` : undefined;
    if (status) await recordProviderStatus(ctx, id, { status, providerId: form.get('MessageSid') ?? '', details });
    return c.body(null, 204);
  },
);
