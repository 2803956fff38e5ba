import { type ScannerFailure, type ScannerOutcome, type ScannerScan, SUSPENDED_STATUS } from '../../protocol.ts';

/** Result of sending a scan. */
export type Answer =
  | { kind: 'outcome'; outcome: ScannerOutcome }
  /** The service will never accept this scan. */
  | { kind: 'refused'; reason: string }
  /** The link has expired, and needs its PIN. */
  | { kind: 'locked' }
  /** The link or its configuration was deleted. */
  | { kind: 'gone' }
  /** The account is suspended. */
  | { kind: 'suspended' }
  /** The service is up, but can't process this scan now. It may process others. */
  | { kind: 'failed' }
  /** Offline, or the service can't answer now. */
  | { kind: 'unreachable' };

/** Returns whether a scan with this answer should be sent again later. */
export function isToRepeat(answerKind: Answer['kind']): boolean {
  return answerKind === 'failed' || answerKind === 'unreachable' || answerKind === 'suspended';
}

const TIMEOUT_MILLIS = 20_000;

/** Sends a scan. Its UUID makes repetitions harmless. Never rejects. */
export async function sendScan(base: string, scan: ScannerScan): Promise<Answer> {
  try {
    const response = await fetch(`${base}/scans`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scan),
      // The request continues after the tab is closed.
      keepalive: true,
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    });
    return await answerOf(response);
  } catch {
    return { kind: 'unreachable' };
  }
}

async function answerOf(response: Response): Promise<Answer> {
  if (response.ok) return { kind: 'outcome', outcome: (await response.json()) as ScannerOutcome };
  // A captive portal or another intermediary doesn't reply with JSON.
  if (!response.headers.get('Content-Type')?.includes('json')) return { kind: 'unreachable' };
  const { error } = (await response.json()) as ScannerFailure;
  if (response.status === 403) return { kind: 'locked' };
  if (response.status === 404) return { kind: 'gone' };
  if (response.status === SUSPENDED_STATUS) return { kind: 'suspended' };
  if (REFUSALS.includes(response.status)) return { kind: 'refused', reason: error };
  return { kind: FAILURES.includes(response.status) ? 'failed' : 'unreachable' };
}

/** Statuses that the same scan would get again. */
const REFUSALS = [400, 413, 422];
/** Statuses of concurrent changes to the pass, or of a problem with this scan. */
const FAILURES = [409, 500];
