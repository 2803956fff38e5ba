import type { ScanReason } from '../../../domain/app-scans/table.ts';
import type { TimelineActor, TimelineEntry } from '../../../domain/timeline/timeline-entry.ts';

/** Text of a timeline entry. */
interface EntryWords {
  title: string;
  detail?: string | null;
}

const SCANS: Partial<Record<ScanReason, string>> = {
  accepted: 'Scanned and accepted',
  stale_code: 'Scanned: copied or outdated code',
  voided: 'Scanned: voided',
  not_yet_valid: 'Scanned: not valid yet',
  expired: 'Scanned: expired',
  already_used: 'Scanned: already used at this place',
  wrong_place: 'Scanned: not valid at this place',
  limit_reached: 'Scanned: limit reached',
  uncovered: 'Scanned: not valid for this scanner',
  told: 'Scanned',
};

const CHANNELS: Record<string, string> = { email: 'E-mail', sms: 'SMS' };
const STATUSES: Record<string, string> = {
  queued: 'waiting to be sent',
  waiting: 'waiting for a retry',
  sending: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
};

export const WALLETS = { apple: 'Apple Wallet', google: 'Google Wallet' } as const;
export const PUSH_SERVICES = { apple: 'Apple', google: 'Google' } as const;

const ACTORS: Record<TimelineActor['type'], { named: string; unnamed: string }> = {
  api_key: { named: 'API key ', unnamed: 'a deleted API key' },
  user: { named: '', unnamed: 'a former member' },
  scanner_link: { named: 'scanner link ', unnamed: 'a deleted scanner link' },
  operator: { named: '', unnamed: 'an operator' },
  system: { named: '', unnamed: 'the service' },
};

/** Context for the texts of entries. */
export interface Reader {
  /** Current version of the pass. */
  version: number;
  /** Labels of the pass's members in its form. */
  labels: Map<string, string>;
  seesPersonalData: boolean;
}

/**
 * Returns the text of an entry. Without access to personal data, recipients, push texts and image addresses are left
 * out.
 */
export function wordsOf(entry: TimelineEntry, { version, labels, seesPersonalData }: Reader): EntryWords {
  const personal = (detail: string | null) => (seesPersonalData ? detail : undefined);
  switch (entry.type) {
    case 'created':
      return { title: 'Created' };
    case 'changed':
      return changeWords(entry, labels);
    case 'template_published':
      return { title: `Template published, version ${entry.templateVersion}` };
    case 'device_added':
      return { title: `Added to ${WALLETS[entry.wallet]}`, detail: deviceName(entry.device) };
    case 'device_removed':
      return { title: `Removed from ${WALLETS[entry.wallet]}`, detail: deviceName(entry.device) };
    case 'push_pending': {
      const attempts = entry.attempts > 0 ? `, attempt ${entry.attempts}` : '';
      return { title: `Push scheduled for ${WALLETS[entry.wallet]}${attempts}`, detail: personal(entry.text) };
    }
    case 'push_answered':
      return entry.wallet === 'apple' ? appleWords(entry) : googleWords(entry);
    case 'push_given_up':
      return { title: `Push failed: ${PUSH_SERVICES[entry.wallet]} didn’t accept it for a day` };
    case 'device_asked':
      return { title: 'Device checked for changes', detail: deviceName(entry.device) };
    case 'file_downloaded':
      return {
        title: `Device ${entry.isKnown ? 'has' : 'downloaded'} version ${entry.version}${behind(entry.version, version)}`,
      };
    case 'scanned': {
      const title = SCANS[entry.reason as ScanReason] ?? 'Scanned';
      return { title: `${title}${entry.isUndone ? ', undone later' : ''}`, detail: entry.deviceName };
    }
    case 'message': {
      const title = `${CHANNELS[entry.channel] ?? entry.channel} ${STATUSES[entry.status] ?? entry.status}`;
      return { title, detail: personal(entry.recipient) };
    }
    case 'image_failed':
      return { title: `Image not imported: ${entry.member}`, detail: personal(entry.reason) };
  }
}

type Of<T extends TimelineEntry['type']> = Extract<TimelineEntry, { type: T }>;

function changeWords({ actor, members, version }: Of<'changed'>, labels: Reader['labels']): EntryWords {
  const by = actor ? ` by ${actorName(actor)}` : '';
  const [what, others] = verbOf(members);
  const names = others.map((member) => labels.get(member) ?? OTHER_LABELS[member] ?? member);
  return {
    title: `${what}${by}${names.length > 0 ? `: ${names.join(', ')}` : ''}`,
    detail: version === undefined ? undefined : `version ${version}`,
  };
}

/** Labels of members that are not in the form. */
const OTHER_LABELS: Record<string, string> = {
  voided: 'Voided',
  unvoided: 'Restored',
  redeemed: 'Redeemed',
  templateId: 'Template',
  placesUsedAt: 'Uses',
  links: 'Links',
  pushNotificationText: 'Push notification',
};

const VERBS: Record<string, string> = {
  voided: 'Voided',
  unvoided: 'Restored',
  pushNotificationText: 'Push notification sent',
  links: 'Links rotated',
};

/** Returns a specific verb for some changes. `redeemed` is left out, because a void implies it. */
function verbOf(members: string[]): [verb: string, members: string[]] {
  const [first, ...others] = members.filter((member) => member !== 'redeemed');
  const verb = first && others.length === 0 ? VERBS[first] : undefined;
  return verb ? [verb, []] : ['Changed', members];
}

function actorName({ type, name }: TimelineActor): string {
  return name === null ? ACTORS[type].unnamed : `${ACTORS[type].named}${name}`;
}

const deviceName = (device: string | undefined) => device && `device ${device}`;

/** Describes how many versions behind the device is. */
function behind(received: number, version: number): string {
  const versions = version - received;
  if (versions <= 0) return '';
  return versions === 1 ? ', one behind' : `, ${versions} behind`;
}

export const countOf = (devices: number): string => (devices === 1 ? '1 device' : `${devices} devices`);

function appleWords({ devices, cause, reason }: Extract<Of<'push_answered'>, { wallet: 'apple' }>): EntryWords {
  const { accepted, unregistered, refused, postponed } = devices;
  const parts = [
    accepted > 0 && `accepted by Apple for ${countOf(accepted)}`,
    refused > 0 && `rejected for ${countOf(refused)}`,
    postponed > 0 && `postponed for ${countOf(postponed)}`,
    unregistered > 0 && `${countOf(unregistered)} no longer registered`,
  ].filter((part) => part !== false);
  const what = cause === 'text' ? 'Push notification' : typeof cause === 'number' ? 'Template push' : 'Push';
  return { title: `${what} ${parts.join(', ')}`, detail: reason };
}

const GOOGLE = { accepted: 'accepted', refused: 'rejected', postponed: 'postponed' } as const;

function googleWords({ outcome, version, status }: Extract<Of<'push_answered'>, { wallet: 'google' }>): EntryWords {
  const what = version === undefined ? 'Update' : `Version ${version}`;
  const detail = outcome === 'accepted' || status === undefined ? undefined : `status ${status}`;
  return { title: `${what} ${GOOGLE[outcome]} by Google`, detail };
}
