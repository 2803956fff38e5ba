/** A push to one device. Apple gets only the token; the dev inbox stores the rest. */
export interface DevicePush {
  token: string;
  about: PushedPass[];
}

export interface PushedPass {
  passId: string;
  /** Text for the holder; absent: the pass changes without a text. */
  text?: string;
}

/** Sends pushes of one topic. Returns one outcome per push, in order; failures of the other side are never thrown. */
export interface PushSender {
  send(topic: string, pushes: DevicePush[]): Promise<PushOutcome[]>;
}

/**
 * Outcome of a push to one device. `gone`: the token permanently belongs to no device with such passes. `retry`: try
 * again later; `afterSeconds` is the wait that the other side requested. `refused`: a retry would fail, too.
 */
export type PushOutcome =
  | { outcome: 'sent' }
  | { outcome: 'gone' }
  | { outcome: 'retry'; afterSeconds?: number; reason: string }
  | { outcome: 'refused'; reason: string };

/** A connection to Apple's push service. Failures of the other side are outcomes and are never thrown. */
export interface PushTransport {
  /** Asks devices to get updates of a pass type, the topic. Returns one outcome per push token, in order. */
  push(topic: string, tokens: string[]): Promise<PushOutcome[]>;
}
