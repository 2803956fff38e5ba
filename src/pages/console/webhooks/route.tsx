import { Hono } from 'hono';
import { type Issue, invalidField } from '../../../domain/errors.ts';
import { listSigningKeys } from '../../../domain/signing-keys/signer.ts';
import { listTemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import { resendDelivery } from '../../../domain/webhooks/list-deliveries.ts';
import {
  deleteSubscription,
  pauseSubscription,
  resumeSubscription,
  rotateSecret,
  testSubscription,
} from '../../../domain/webhooks/manage-subscription.ts';
import { recoverEvents } from '../../../domain/webhooks/recover-events.ts';
import { subscribe } from '../../../domain/webhooks/subscribe.ts';
import {
  type DeliveryFilter,
  getDelivery,
  getSubscriptionDeliveries,
  listShownSubscriptions,
} from '../../../domain/webhooks/subscription-pages.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { parseDateTime } from '../../../platform/dates.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { listed, PAGE_ROWS, page, pathTo, renamed, submitted, textOf, textsIn, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { AskPage, type Question, SecretPage, VerifyPage } from './ask-pages.tsx';
import { DeliveryPage } from './delivery-page.tsx';
import { NEW_WEBHOOK, NewWebhookPage, type TypedWebhook, WebhookCreatedPage } from './new-webhook-page.tsx';
import { SECTION, WebhooksPage } from './webhook-list-page.tsx';
import { type TypedPeriod, WebhookPage } from './webhook-page.tsx';

/** Routes for webhooks. All members can view them; only owners can change them. */
export const webhookRoutes = new Hono<AccountEnv>();

const owner = requirePrivilege('owner');
webhookRoutes.post('*', owner);

const copyScript = () => [clientFile('console/copy-code.ts').path];
const pathOf = (c: AccountPageContext, ...parts: string[]) => pathTo(c, SECTION, ...parts);

webhookRoutes.get('/', async (c) => {
  const beforeId = uuidIn(c, 'before');
  const found = await listShownSubscriptions(c.var.acting, { limit: PAGE_ROWS + 1, beforeId });
  return page(c, <WebhooksPage {...listed(found, beforeId, ({ id }) => id)} />);
});

webhookRoutes.get('/new', owner, async (c) => {
  const templates = await listTemplateFacts(c.var.acting);
  return page(c, <NewWebhookPage templates={templates} typed={NEW_WEBHOOK} />);
});

webhookRoutes.get('/verify', async (c) => {
  const keys = await listSigningKeys(c.var.acting);
  return page(c, <VerifyPage keys={keys} scripts={copyScript()} />);
});

webhookRoutes.post('/', async (c) => {
  const typed = readTyped(await c.req.parseBody());
  const isPull = typed.mode === 'pull';
  const input = {
    event: typed.event,
    target_url: isPull ? null : typed.targetUrl,
    subscription_url: typed.name || null,
    retryEnabled: typed.retry,
    signPayload: typed.sign,
    pullMode: isPull,
  };
  const again = async () => {
    const shown = { templates: await listTemplateFacts(c.var.acting), typed };
    return <NewWebhookPage {...shown} />;
  };
  const work = async () => {
    const options = { templateName: typed.template || undefined, generateAccessToken: typed.token };
    const subscribed = await subscribe(c.var.acting, input, options);
    return page(c, <WebhookCreatedPage subscribed={subscribed} scripts={copyScript()} />);
  };
  return submitted(c, again, work, inWordsOfTheForm);
});

const toFormNames = renamed({ target_url: 'targetUrl', subscription_url: 'name', templateName: 'template' });

/** Leaves out of a message what only the API offers. */
function inWordsOfTheForm(issues: Issue[]): Issue[] {
  return toFormNames(issues).map((issue) => (issue.code === 'required' ? { ...issue, message: 'is required' } : issue));
}

function readTyped(form: Record<string, unknown>): TypedWebhook {
  const on = (name: string) => textOf(form, name) === 'true';
  return {
    ...textsIn(form, 'event', 'template', 'name'),
    mode: textOf(form, 'mode') === 'pull' ? 'pull' : 'push',
    targetUrl: textOf(form, 'targetUrl').trim(),
    ...{ retry: on('retry'), sign: on('sign'), token: on('token') },
  };
}

webhookRoutes.get('/:id', async (c) => page(c, await oneWebhook(c)));

const FILTERS: readonly string[] = ['all', 'failed', 'waiting'] satisfies DeliveryFilter[];

async function oneWebhook(c: AccountPageContext, typed?: TypedPeriod) {
  const state = c.req.query('state') ?? '';
  const filter = FILTERS.includes(state) ? (state as DeliveryFilter) : 'all';
  const after = c.req.query('after');
  const found = await getSubscriptionDeliveries(c.var.acting, c.req.param('id')!, { filter, after, limit: PAGE_ROWS });
  const shown = { filter, isFirst: after === undefined, done: c.req.query('done') };
  return <WebhookPage {...found} {...shown} typed={typed} />;
}

for (const question of ['pause', 'delete', 'rotate'] satisfies Question[]) {
  webhookRoutes.get(`/:id/${question}`, owner, async (c) => {
    const { subscription } = await getSubscriptionDeliveries(c.var.acting, c.req.param('id'), {
      filter: 'all',
      limit: 0,
    });
    return page(c, <AskPage subscription={subscription} question={question} />);
  });
}

/**
 * Runs an action on a subscription and redirects to the result. If a rule rejects it, the subscription's page shows
 * why.
 */
function act(c: AccountPageContext, work: () => Promise<string>, typed?: TypedPeriod): Promise<Response> {
  const again = () => oneWebhook(c, typed);
  return submitted(c, again, async () => c.redirect(await work(), 303));
}

webhookRoutes.post('/:id/test', (c) => {
  const id = c.req.param('id');
  return act(c, async () => {
    return pathOf(c, id, 'deliveries', await testSubscription(c.var.acting, id));
  });
});

for (const [verb, change] of Object.entries({ pause: pauseSubscription, resume: resumeSubscription })) {
  webhookRoutes.post(`/:id/${verb}`, (c) =>
    act(c, async () => {
      const { id } = await change(c.var.acting, c.req.param('id'));
      return `${pathOf(c, id)}?done=${verb}`;
    }),
  );
}

webhookRoutes.post('/:id/delete', (c) =>
  act(c, async () => {
    await deleteSubscription(c.var.acting, c.req.param('id'));
    return pathOf(c);
  }),
);

webhookRoutes.post('/:id/recover', async (c) => {
  const id = c.req.param('id');
  const form = await c.req.parseBody();
  const typed = textsIn(form, 'since', 'until');
  const work = async () => {
    const { timezone } = c.var.acting.account;
    const sinceAt = parseDateTime(typed.since, timezone);
    const untilAt = typed.until === '' ? Date.now() : parseDateTime(typed.until, timezone);
    if (sinceAt === undefined) throw invalidField('From', 'must be a date and time such as 2026-12-24T09:10');
    if (untilAt === undefined) throw invalidField('To', 'must be empty, or a date and time such as 2026-12-24T09:10');
    if (untilAt < sinceAt) throw invalidField('To', 'must not be before From');
    await recoverEvents(c.var.acting, id, { sinceAt, untilAt });
    return `${pathOf(c, id)}?done=recover`;
  };
  return act(c, work, typed);
});

webhookRoutes.post('/:id/rotate', async (c) => {
  const id = c.req.param('id');
  const again = () => oneWebhook(c);
  return submitted(c, again, async () => {
    const rotated = await rotateSecret(c.var.acting, id);
    return page(c, <SecretPage subscriptionId={id} {...rotated} scripts={copyScript()} />);
  });
});

webhookRoutes.get('/:id/deliveries/:event', (c) => oneDelivery(c));

async function oneDelivery(c: AccountPageContext) {
  const shown = await getDelivery(c.var.acting, c.req.param('id')!, c.req.param('event')!);
  return page(c, <DeliveryPage {...shown} scripts={copyScript()} />);
}

webhookRoutes.post('/:id/deliveries/:event/resend', (c) => {
  const { id, event } = c.req.param();
  return act(c, async () => {
    await resendDelivery(c.var.acting, id, event);
    return pathOf(c, id, 'deliveries', event);
  });
});
