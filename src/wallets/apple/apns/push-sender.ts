import type { PushOutcome } from './push-transport.ts';

/** A push to one device. Apple gets the token alone; the rest tells what the push is about. */
export interface DevicePush {
  token: string;
  about: PushedPass[];
}

export interface PushedPass {
  passId: string;
  /** What the holder is told; absent: the pass changes without a text. */
  text?: string;
}

/** Sends pushes of one topic. Failures of the other side are outcomes, one for each push in order, and never thrown. */
export interface PushSender {
  send(topic: string, pushes: DevicePush[]): Promise<PushOutcome[]>;
}
