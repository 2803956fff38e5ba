import type { PushOutcome } from './push-transport.ts';

/** A push to one device. Apple gets the token alone; the rest is for those who keep what they send. */
export interface DevicePush {
  token: string;
  about: PushedPass[];
}

export interface PushedPass {
  passId: string;
  /** Text for the holder; absent: the pass changes without one. */
  text?: string;
}

/** Sends pushes of one topic. Failures of the other side are outcomes, one for each push in order, and never thrown. */
export interface PushSender {
  send(topic: string, pushes: DevicePush[]): Promise<PushOutcome[]>;
}
