import type { Fact } from '../pass-facts/facts.ts';
import type { TimelineDetails, TimelineWallet } from './timeline-entry.ts';

/** The explanation of what devices show. */
export type Verdict =
  /** No device has added the pass, or all have removed it. */
  | { kind: 'no_device' | 'removed' }
  /** Devices have the latest version; the push waits, or could not be sent; the answer of the push service. */
  | (InWallet & { kind: 'current' | 'waiting' | 'given_up' | 'accepted' | 'unregistered' })
  | (InWallet & { kind: 'postponed' | 'refused'; reason?: string })
  /** A device asked, but has not downloaded the version; nothing was recorded since the last change. */
  | (InWallet & { kind: 'asked' | 'unknown' })
  /** The latest version was downloaded less often than there are devices. */
  | (InWallet & { kind: 'partly_current'; downloads: number; devices: number });

interface InWallet {
  wallet: TimelineWallet;
  /** UTC milliseconds. */
  at: number;
  /** Versions that the last downloading device is behind; absent or 0: unknown, or none. */
  behind?: number;
}

/** The data for a verdict: recent facts, and the newest rows of devices and waiting pushes. */
export interface ReadTimeline {
  facts: Fact[];
  rows: (TimelineDetails & { at: number })[];
}

/** The pass to judge. */
export interface JudgedPass {
  version: number;
  /** Number of the template version that it shows, and when that reached it; null: the pass was created with it. */
  templateVersion: number;
  publishedAt: number | null;
  numberOfActive: number;
  numberOfInactive: number;
  /** When Google got the object; null or 0: not from us. */
  googlePublishedAt: number | null;
  createdAt: number;
}

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>;

/** Returns the facts of one type, newest first. */
function only<T extends Fact['type']>(facts: Fact[], type: T): Of<T>[] {
  return facts.filter((fact): fact is Of<T> => fact.type === type).sort((one, other) => other.at - one.at);
}

/** Returns the verdicts of a pass, one per wallet that has it, from what the first page of its timeline has read. */
export function judgePass(pass: JudgedPass, { facts, rows }: ReadTimeline): Verdict[] {
  if (pass.numberOfActive === 0) return [{ kind: pass.numberOfInactive === 0 ? 'no_device' : 'removed' }];
  const added = rows.flatMap((row) => (row.type === 'device_added' && row.isActive ? row : []));
  const onGoogle = added.some(({ wallet }) => wallet === 'google');
  // Google Wallet counts as one device.
  const appleDevices = pass.numberOfActive - (onGoogle ? 1 : 0);
  const pending = (wallet: TimelineWallet) =>
    rows.find((row) => row.type === 'push_pending' && row.wallet === wallet)?.at;
  const addedAt = added.find(({ wallet }) => wallet === 'apple')?.at ?? pass.createdAt;
  return [
    ...(appleDevices > 0
      ? [judgeApple(pass, facts, { devices: appleDevices, addedAt, pendingAt: pending('apple') })]
      : []),
    ...(onGoogle ? [judgeGoogle(pass, facts, pending('google'))] : []),
  ];
}

/** Returns when holders last got something new to see. */
function findLastChangeAt({ publishedAt, createdAt }: JudgedPass, facts: Fact[]): number {
  const changes = only(facts, 'changed').filter(({ isShown }) => isShown);
  const pushes = only(facts, 'apple_answered').filter(({ cause }) => cause !== 'change');
  return Math.max(createdAt, publishedAt ?? 0, changes[0]?.at ?? 0, pushes[0]?.at ?? 0);
}

interface AppleDevices {
  devices: number;
  /** When the newest device added the pass. */
  addedAt: number;
  pendingAt?: number;
}

function judgeApple(pass: JudgedPass, facts: Fact[], { devices, addedAt, pendingAt }: AppleDevices): Verdict {
  const wallet = 'apple' as const;
  const [answer] = only(facts, 'apple_answered');
  const changedAt = findLastChangeAt(pass, facts);
  const sent = only(facts, 'file_downloaded');
  const [last] = sent;
  const latest = sent.filter(
    ({ version, templateVersion }) => version === pass.version && templateVersion === pass.templateVersion,
  );
  const isCurrent = latest.length > 0 || (last?.at ?? addedAt) >= changedAt;
  if (isCurrent) {
    const downloads = sent.filter(({ at }) => at >= changedAt);
    const at = (downloads.at(-1) ?? latest.at(-1))?.at ?? Math.max(addedAt, last?.at ?? 0);
    if (downloads.length > 0 && downloads.length < devices) {
      return { wallet, kind: 'partly_current', at, downloads: downloads.length, devices };
    }
    return { wallet, kind: 'current', at };
  }
  const behind = last && only(facts, 'changed').filter((one) => one.isShown && one.version > last.version).length;
  if (pendingAt !== undefined) {
    const isPostponed = answer && answer.at >= changedAt && answer.answers.postponed > 0;
    if (isPostponed) return { wallet, kind: 'postponed', at: answer.at, reason: answer.reason, behind };
    return { wallet, kind: 'waiting', at: pendingAt, behind };
  }
  const [asked] = only(facts, 'device_asked');
  if (asked && asked.at >= changedAt) return { wallet, kind: 'asked', at: asked.at, behind };
  const [givenUp] = only(facts, 'push_given_up').filter((one) => one.wallet === wallet);
  if (givenUp && givenUp.at >= changedAt) return { wallet, kind: 'given_up', at: givenUp.at, behind };
  return { wallet, ...pushVerdict(answer, changedAt), behind };
}

/** Returns the push service's answer to the last news. */
function pushVerdict(answer: Of<'apple_answered'> | undefined, changedAt: number) {
  if (!answer || answer.at < changedAt) return { kind: 'unknown' as const, at: changedAt };
  const { at, reason } = answer;
  const { accepted, refused, postponed } = answer.answers;
  if (accepted > 0) return { kind: 'accepted' as const, at };
  if (postponed > 0) return { kind: 'postponed' as const, at, reason };
  return refused > 0 ? { kind: 'refused' as const, at, reason } : { kind: 'unregistered' as const, at };
}

function judgeGoogle(pass: JudgedPass, facts: Fact[], pendingAt: number | undefined): Verdict {
  const wallet = 'google' as const;
  const changedAt = findLastChangeAt(pass, facts);
  const [answer] = only(facts, 'google_answered');
  const [givenUp] = only(facts, 'push_given_up').filter((one) => one.wallet === wallet);
  if (pendingAt !== undefined) {
    const isPostponed = answer?.outcome === 'postponed' && answer.at >= changedAt;
    return { wallet, kind: isPostponed ? 'postponed' : 'waiting', at: isPostponed ? answer.at : pendingAt };
  }
  if (givenUp && givenUp.at >= changedAt) return { wallet, kind: 'given_up', at: givenUp.at };
  if (answer && (answer.at >= changedAt || answer.version === pass.version)) {
    const reason = answer.status === undefined ? undefined : `status ${answer.status}`;
    return answer.outcome === 'accepted'
      ? { wallet, kind: 'current', at: answer.at }
      : { wallet, kind: answer.outcome, at: answer.at, reason };
  }
  const { googlePublishedAt } = pass;
  if (googlePublishedAt && googlePublishedAt >= changedAt) return { wallet, kind: 'current', at: googlePublishedAt };
  return { wallet, kind: 'unknown', at: changedAt };
}
