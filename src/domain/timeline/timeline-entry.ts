import type { Actor } from '../context.ts';
import type { AppleAnswers, GoogleOutcome, PushCause } from '../pass-facts/facts.ts';

/** Wallet of the devices that an entry is about. */
export type TimelineWallet = 'apple' | 'google';

/** Who acted. Without a name, the key or the user is gone, or belongs to the account above. */
export interface TimelineActor extends Pick<Actor, 'type' | 'id'> {
  name: string | null;
}

/** An entry of a timeline; `id` is unique in it and gives its place, `at` is UTC milliseconds. */
export type TimelineEntry = { id: string; at: number } & TimelineDetails;

/** Details of an entry, by its type. */
export type TimelineDetails =
  | { type: 'created' }
  /** `version` and `isShown` are missing in changes from before they were recorded. */
  | { type: 'changed'; actor: TimelineActor | null; members: string[]; version?: number; isShown?: boolean }
  | { type: 'template_published'; templateVersion: number }
  /** `isActive`: the device still has the pass. */
  | { type: 'device_added'; wallet: TimelineWallet; device?: string; isActive: boolean }
  | { type: 'device_removed'; wallet: TimelineWallet; device?: string }
  /** The push waits to be sent, or sent again. */
  | { type: 'push_pending'; wallet: TimelineWallet; attempts: number; text: string | null }
  | { type: 'push_answered'; wallet: 'apple'; cause: PushCause; devices: AppleAnswers; reason?: string }
  | { type: 'push_answered'; wallet: 'google'; outcome: GoogleOutcome; status?: number; version?: number }
  | { type: 'push_given_up'; wallet: TimelineWallet }
  | { type: 'device_asked'; device: string }
  | { type: 'file_downloaded'; version: number; templateVersion: number; isKnown: boolean }
  | { type: 'scanned'; reason: string; isUndone: boolean; deviceName: string | null }
  | { type: 'message'; channel: string; status: string; recipient: string }
  | { type: 'image_failed'; member: string; reason: string };
