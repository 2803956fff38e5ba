import type { PushOutcome } from './push-transport.ts';

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
