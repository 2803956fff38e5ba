import { type ScannerFailure, type ScannerOutcome, type ScannerScan, SUSPENDED_STATUS } from '../../protocol.ts';

/** What came of sending a scan. */
export type Answer =
  | { kind: 'outcome'; outcome: ScannerOutcome }
  /** The service will never take this scan. */
  | { kind: 'refused'; reason: string }
  /** The link has expired, and asks for its PIN. */
  | { kind: 'locked' }
  /** The link or its configuration is gone. */
  | { kind: 'gone' }
  /** The account is suspended. */
  | { kind: 'suspended' }
  /** The service answers, and cannot take this very scan now: it may take others. */
  | { kind: 'failed' }
  /** No line, or a service that cannot answer now. */
  | { kind: 'unreachable' };

/** Whether a scan with this answer is to be sent again after a while. */
export function isToRepeat(answerKind: Answer['kind']): boolean {
  return answerKind === 'failed' || answerKind === 'unreachable' || answerKind === 'suspended';
}

const TIMEOUT_MILLIS = 20_000;

/** Sends one scan. It may have been sent before: its UUID makes that harmless. Never rejects. */
export async function sendScan(base: string, scan: ScannerScan): Promise<Answer> {
  try {
    const response = await fetch(`${base}/scans`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scan),
      // The request goes on when the tab is closed.
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
  // What stands between a device and the service, such as the sign-in page of a public network, does not speak JSON.
  if (!response.headers.get('Content-Type')?.includes('json')) return { kind: 'unreachable' };
  const { error } = (await response.json()) as ScannerFailure;
  if (response.status === 403) return { kind: 'locked' };
  if (response.status === 404) return { kind: 'gone' };
  if (response.status === SUSPENDED_STATUS) return { kind: 'suspended' };
  if (REFUSALS.includes(response.status)) return { kind: 'refused', reason: error };
  return { kind: FAILURES.includes(response.status) ? 'failed' : 'unreachable' };
}

/** Replies that the same scan would get again. */
const REFUSALS = [400, 413, 422];
/** Others were changing the pass at that moment, or something is wrong with it. */
const FAILURES = [409, 500];
