import type { Child } from 'hono/jsx';
import { FAILED_JOBS_COUNTED_MAX, NAMED_MAX, type Overview } from '../../../domain/overview/get-overview.ts';
import { Badge, formatNumber, Panel, type Tone } from '../parts.tsx';
import { hasSection } from '../sections.ts';
import { Time } from '../time.tsx';
import { hrefTo, useViewer } from '../viewer.ts';

interface AttentionProps {
  overview: Overview;
  /** Messages that failed in the last seven days. */
  failedMessages: number;
  /** UTC milliseconds. */
  now: number;
}

interface Item {
  tone: Tone;
  state: string;
  text: Child;
  section: string;
  /** Id of an item in the section; absent: the whole section. */
  id?: string;
}

/** A list of problems that need attention; empty without problems. */
export function Attention(props: AttentionProps) {
  const items = itemsOf(props);
  if (items.length === 0) return null;
  return (
    <Panel id="attention" title="Needs attention">
      <ul class="attention">
        {items.map(({ tone, state, text, section, id }) => (
          <li>
            <Badge tone={tone}>{state}</Badge>
            <span>{text}</span>
            {hasSection(useViewer().privileges, section) && <a href={hrefTo(section, ...(id ? [id] : []))}>View</a>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function itemsOf({ overview, failedMessages, now }: AttentionProps): Item[] {
  const { expiring, webhooks, running } = overview;
  return [
    ...firstOf(expiring, 'certificates', 'certificates').map(({ one, more }): Item => {
      if (!one) return more;
      const isOver = one.validTo <= now;
      const text = (
        <>
          The certificate of <code>{one.passTypeId}</code> {isOver ? 'ended on' : 'ends on'} <Time at={one.validTo} />.
          Passes need a renewed certificate.
        </>
      );
      return {
        tone: isOver ? 'grave' : 'careful',
        state: isOver ? 'Expired' : 'Expires',
        text,
        section: 'certificates',
      };
    }),
    ...firstOf(webhooks, 'webhooks', 'webhooks').map(({ one, more }): Item => {
      if (!one) return more;
      const { title, tone } = WEBHOOK_STATES[one.status] ?? { title: 'Failing', tone: 'careful' };
      const text = (
        <>
          <code>{one.event}</code> {one.targetUrl ? `to ${hostOf(one.targetUrl)}` : 'in pull mode'}
        </>
      );
      return { tone, state: `Webhook: ${title.toLowerCase()}`, text, section: 'webhooks', id: one.id };
    }),
    ...(failedMessages > 0
      ? [{ tone: 'careful', state: 'Messages', text: failedText(failedMessages), section: 'messages' } as const]
      : []),
    ...failedJobs(overview),
    ...firstOf(running, 'processes', 'processes').map(({ one, more }): Item => {
      if (!one) return more;
      const text = `${formatNumber(one.current)} of ${formatNumber(one.total)} passes processed`;
      return { tone: 'calm', state: 'Running', text, section: 'processes', id: one.id };
    }),
  ];
}

/** Failed jobs, for members who can retry or discard them. */
function failedJobs({ failedJobs: count }: Overview): Item[] {
  const section = 'failed-jobs';
  if (count === 0 || !hasSection(useViewer().privileges, section)) return [];
  const many = count > FAILED_JOBS_COUNTED_MAX ? `More than ${FAILED_JOBS_COUNTED_MAX} jobs` : `${count} jobs`;
  const text = `${count === 1 ? '1 job' : many} failed and can be retried`;
  return [{ tone: 'careful', state: 'Jobs', text, section }];
}

const WEBHOOK_STATES: Record<string, { title: string; tone: Tone } | undefined> = {
  paused: { title: 'Paused', tone: 'grave' },
  ended: { title: 'Ended', tone: 'careful' },
};

/** Returns the first item of a list, and a line about the others. */
function firstOf<T>(list: T[], section: string, plural: string): { one?: T; more: Item }[] {
  const more: Item = { tone: 'careful', state: 'And more', text: `More ${plural} need attention.`, section };
  const named = list.slice(0, NAMED_MAX).map((one) => ({ one, more }));
  return list.length > NAMED_MAX ? [...named, { more }] : named;
}

function failedText(count: number): string {
  return count === 1
    ? '1 message failed in the last 7 days'
    : `${formatNumber(count)} messages failed in the last 7 days`;
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);
