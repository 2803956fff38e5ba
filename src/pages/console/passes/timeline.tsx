import type { TimelineEntry } from '../../../domain/timeline/timeline-entry.ts';
import type { Verdict } from '../../../domain/timeline/verdict.ts';
import { Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { wordsOf } from './timeline-words.ts';
import { VerdictSentence } from './verdict-sentence.tsx';

interface TimelineProps {
  entries: TimelineEntry[];
  /** What the devices show, and why. Empty on later pages. */
  verdicts: Verdict[];
  pass: { version: number };
  /** Labels of the pass's members in its form. */
  labels: Map<string, string>;
  /** Start of the next page. */
  next?: string;
  isFirst: boolean;
  base: string;
  now: number;
  /** Whether recipients and push texts are shown. */
  seesPersonalData: boolean;
}

/** What the devices show and why, then the events of the pass, newest first. */
export function Timeline({
  entries,
  verdicts,
  pass,
  labels,
  next,
  isFirst,
  base,
  now,
  seesPersonalData,
}: TimelineProps) {
  return (
    <Panel id="timeline" title="Timeline">
      {verdicts.map((verdict) => (
        <VerdictSentence verdict={verdict} version={pass.version} now={now} />
      ))}
      <ol class="timeline">
        {entries.map((entry) => {
          const { title, detail } = wordsOf(entry, { version: pass.version, labels, seesPersonalData });
          return (
            <li class={KINDS[entry.type]}>
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

/** CSS classes of the dots by entry type. */
const KINDS: Partial<Record<TimelineEntry['type'], string>> = {
  scanned: 'scan',
  device_added: 'device',
  device_removed: 'device',
  device_asked: 'device',
  file_downloaded: 'device',
  message: 'push',
  push_pending: 'push',
  push_answered: 'push',
  push_given_up: 'push',
};
