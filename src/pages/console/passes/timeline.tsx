import { type ScanReason, storedReason } from '../../../domain/app-scans/table.ts';
import type { TimelineEntry } from '../../../domain/timeline/timeline-queries.ts';
import { Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';

interface TimelineProps {
  entries: TimelineEntry[];
  /** Where the next page begins. */
  next?: string;
  isFirst: boolean;
  base: string;
  /** Whether recipients and texts of pushes are shown. */
  seesPersonalData: boolean;
}

/** What has happened to a pass, newest first. */
export function Timeline({ entries, next, isFirst, base, seesPersonalData }: TimelineProps) {
  return (
    <Panel id="timeline" title="Timeline">
      <ol class="timeline">
        {entries.map((entry) => {
          const { title, detail: told } = wordsOf(entry);
          const detail = seesPersonalData || !PERSONAL.has(entry.source) ? told : undefined;
          return (
            <li class={entry.source}>
              <p>
                {title}
                {detail && <span class="quiet"> · {detail}</span>}
              </p>
              <Time at={entry.at} />
            </li>
          );
        })}
      </ol>
      <Pager older={next && `${base}?before=${next}#timeline`} newer={isFirst ? undefined : `${base}#timeline`} />
    </Panel>
  );
}

/** Sources whose details name the holder, or may. */
const PERSONAL = new Set<TimelineEntry['source']>(['message', 'push', 'image']);

const EVENTS: Record<string, string> = {
  pass_updated: 'Changed',
  pass_voided: 'Voided',
  pass_unvoided: 'Restored',
};

const SCANS: Partial<Record<ScanReason, string>> = {
  accepted: 'Scanned and accepted',
  voided: 'Scanned: was voided',
  not_yet_valid: 'Scanned: not valid yet',
  expired: 'Scanned: expired',
  already_used: 'Scanned: was used at this place before',
  wrong_place: 'Scanned: not valid at this place',
  limit_reached: 'Scanned: limit reached',
  uncovered: 'Scanned: not valid for this scanner',
  told: 'Scanned',
};

const CHANNELS: Record<string, string> = { email: 'E-mail', sms: 'SMS' };
const STATUSES: Record<string, string> = {
  queued: 'waits to be sent',
  waiting: 'is tried again',
  sending: 'is being sent',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
};

const SYSTEMS: Record<string, string> = { iOS: 'Apple Wallet', Android: 'Google Wallet' };

function wordsOf({ source, what, detail }: TimelineEntry): { title: string; detail?: string | null } {
  const [first = '', second = ''] = (what ?? '').split(' ');
  switch (source) {
    case 'created':
      return { title: 'Created' };
    case 'event':
      return { title: EVENTS[first] ?? first };
    case 'scan':
      return { title: `${SCANS[storedReason(first)] ?? 'Scanned'}${second ? ', undone since' : ''}`, detail };
    case 'message':
      return { title: `${CHANNELS[first] ?? first} ${STATUSES[second] ?? second}`, detail };
    case 'registered':
      return { title: `Added to ${SYSTEMS[first]}` };
    case 'removed':
      return { title: `Removed from ${SYSTEMS[first]}` };
    case 'push':
      return { title: 'Push scheduled', detail };
    case 'image':
      return { title: `Image not imported: ${what}`, detail };
  }
}
