/**
 * What became of a message that was handed to a provider. `sent`: it is the provider's now; `note` says what is worth
 * knowing. `refused`: trying again is pointless. `unavailable`: it may work later; whether the provider has it after
 * all is not known when it did not answer.
 */
export type Handover =
  | { outcome: 'sent'; providerId: string | null; note?: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unavailable'; reason: string };
