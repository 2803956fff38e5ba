import type { TimelineEntry } from '../../../domain/timeline/timeline-entry.ts';
import type { Verdict } from '../../../domain/timeline/verdict.ts';
import { Pager, Panel } from '../parts.tsx';
import { Time } from '../time.tsx';
import { countOf, PUSH_SERVICES, WALLETS, wordsOf } from './timeline-words.ts';

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

interface VerdictProps {
  verdict: Verdict;
  /** Current version of the pass. */
  version: number;
  now: number;
}

/** Explains in one or two sentences what the devices show, and why. */
function VerdictSentence({ verdict, version, now }: VerdictProps) {
  return <p class={`notice ${TONES[verdict.kind] ?? 'calm'}`}>{sentenceOf(verdict, version, now)}</p>;
}

const TONES: Partial<Record<Verdict['kind'], string>> = {
  current: 'good',
  refused: 'careful',
  given_up: 'careful',
  unregistered: 'careful',
};

const NOWHERE = {
  no_device: 'No device has added this pass.',
  removed: 'Every device has removed this pass.',
};

function sentenceOf(verdict: Verdict, version: number, now: number) {
  if (!('wallet' in verdict)) return NOWHERE[verdict.kind];
  const { wallet, at } = verdict;
  const [service, ago, since] = [PUSH_SERVICES[wallet], agoOf(at, now), <Time at={at} />];
  const lag = verdict.behind
    ? ` It is ${verdict.behind === 1 ? 'one version' : `${verdict.behind} versions`} behind.`
    : '';
  switch (verdict.kind) {
    case 'current':
      return (
        <>
          {wallet === 'google' ? WALLETS.google : 'The device'} has had the current version since {since}.
        </>
      );
    case 'partly_current': {
      const { downloads, devices } = verdict;
      return `The pass is on ${countOf(devices)}. The current version was downloaded ${downloads === 1 ? 'once' : `${downloads} times`}.`;
    }
    case 'waiting':
      return `The push to ${WALLETS[wallet]} has been waiting for ${spanOf(at, now)}.${lag}`;
    case 'postponed':
      return `${service} postponed the push ${ago}${reasonOf(verdict.reason)}. It will be retried.${lag}`;
    case 'given_up':
      return `The push failed ${ago}, after ${service} hadn’t accepted it for a day.${lag}`;
    case 'refused':
      return `${service} rejected the push ${ago}${reasonOf(verdict.reason)}.${lag}`;
    case 'unregistered':
      return `${service} reported ${ago} that the device no longer accepts pushes for this pass.${lag}`;
    case 'accepted':
      return `${service} accepted the push ${ago}. The device hasn’t checked for changes yet. It may be offline.${lag}`;
    case 'asked':
      return `A device checked for changes ${ago}, but hasn’t downloaded version ${version} yet.${lag}`;
    case 'unknown':
      return (
        <>
          The pass last changed at {since}. No push to {WALLETS[wallet]} has been recorded since.
        </>
      );
  }
}

const reasonOf = (reason: string | undefined) => (reason ? ` (${reason})` : '');

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function spanOf(at: number, now: number): string {
  const [unit, millis] = UNITS.find(([, size]) => now - at >= size) ?? ['minute', 60_000];
  const number = Math.max(1, Math.floor((now - at) / millis));
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

const agoOf = (at: number, now: number): string => (now - at < 60_000 ? 'just now' : `${spanOf(at, now)} ago`);
