import * as z from 'zod';
import type { SubscriptionDetails } from '../../api/v1/hook-view.ts';
import { READS, tool } from '../tool.ts';
import { PageSize, pageOf, Start, withoutNulls } from './fields.ts';

/** States from worst to best. */
const HEALTH = ['ended', 'paused', 'failing', 'waiting', 'pull', 'healthy'] as const;
type Health = (typeof HEALTH)[number];
type Details = z.infer<typeof SubscriptionDetails>;

const Shown = z.object({
  identifier: z.string(),
  health: z
    .enum(HEALTH)
    .describe(
      'ended: its receiver replied with 410; paused: failed for days; failing: the last attempt failed; waiting: nothing sent yet; pull: fetched by the receiver',
    ),
  event: z.string(),
  target_url: z.string().optional().describe('Without its query'),
  subscription_url: z.string().optional(),
  delivered: z.int(),
  failed: z.int(),
  lastOutcome: z.string().optional(),
  lastAttemptOn: z.string().optional(),
  failingSince: z.string().optional(),
});

function healthOf({ status, pull_mode, metrics }: Details): Health {
  if (status !== 'active') return status;
  if (pull_mode) return 'pull';
  if (metrics.failingSince !== null) return 'failing';
  return metrics.lastAttemptOn === null ? 'waiting' : 'healthy';
}

/** The query of an endpoint URL often holds the receiver's secrets. */
const withoutQuery = (url: string | null) => url?.replace(/[?#].*$/s, '') ?? null;

function shown(details: Details): z.infer<typeof Shown> {
  const { target_url, metrics, ...more } = details;
  const members = { ...more, ...metrics, target_url: withoutQuery(target_url), health: healthOf(details) };
  return Shown.parse(withoutNulls(members));
}

export const webhookHealth = tool({
  name: 'webhook_health',
  title: 'Show the health of webhooks',
  description:
    'Lists the webhooks of the account with their last delivery and their failures. Those with problems come first.',
  operation: 'listSubscriptions',
  scope: 'webhooks:manage',
  isAccountWide: true,
  hints: READS,
  input: z.strictObject({ pageSize: PageSize, start: Start }),
  output: z.object({
    subscriptions: z.array(Shown),
    total: z.int(),
    problems: z.int().describe('Number of webhooks that are ended, paused or failing'),
    next: z.int().nullable(),
  }),
  request: () => ({ method: 'GET', path: '/api/hook/list', query: { includeMetrics: 'true' } }),
  result: (reply, args) => {
    const rank = ({ health }: { health: Health }) => HEALTH.indexOf(health);
    const all = (reply as Details[]).map(shown).sort((a, b) => rank(a) - rank(b));
    const { page, total, next } = pageOf(all, args);
    const problems = all.filter(({ health }) => ['ended', 'paused', 'failing'].includes(health)).length;
    return { subscriptions: page, total, problems, next };
  },
});
