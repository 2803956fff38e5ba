/**
 * Result of handing a message to a provider. `sent`: it is the provider's now; `note` adds a remark. `refused`: a retry
 * is pointless. `unavailable`: a retry may work; without an answer the provider may have the message.
 */
export type SendResult =
  | { outcome: 'sent'; providerId: string | null; note?: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'unavailable'; reason: string };
