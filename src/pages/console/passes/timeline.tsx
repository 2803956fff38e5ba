import type { TimelineEntry } from '../../../domain/timeline/timeline-entry.ts';
import type { Verdict } from '../../../domain/timeline/verdict.ts';
import { Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { wordsOf } from './timeline-words.ts';
import { VerdictSentence } from './verdict-sentence.tsx';

interface TimelineProps {
  entries: TimelineEntry[];
  /** What the devices show, and why; none on later pages. */
  verdicts: Verdict[];
  pass: { version: number };
  /** What the form of a pass calls its members. */
  labels: Map<string, string>;
  /** Where the next page begins. */
  next?: string;
  isFirst: boolean;
  base: string;
  now: number;
  /** Whether recipients and texts of pushes are shown. */
  seesPersonalData: boolean;
}

/** Why the devices show what they show, then what has happened to the pass, newest first. */
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

/** What the dot of an entry looks like. */
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
