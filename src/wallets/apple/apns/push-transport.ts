/**
 * What became of a push to one device. `gone`: the token is no longer that of a device with such passes, for good.
 * `retry`: not now; `afterSeconds` when the other side said how long to wait. `refused`: the other side will not take
 * it, and trying again would fail as well.
 */
export type PushOutcome =
  | { outcome: 'sent' }
  | { outcome: 'gone' }
  | { outcome: 'retry'; afterSeconds?: number; reason: string }
  | { outcome: 'refused'; reason: string };

/** A way to Apple's push service. Failures of the other side are outcomes and are never thrown. */
export interface PushTransport {
  /** Asks devices to get updates of a pass type, the topic. One outcome a push token, in order. */
  push(topic: string, tokens: string[]): Promise<PushOutcome[]>;
}
